import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { statementsFor } from '../constructs/synthesize.ts';
import { synthesizeStack, template } from './synthesized-stack.ts';

describe('a key of the account', () => {
  const own = synthesizeStack({ customerKey: true });

  it('encrypts the records and the ledger when asked for, and turns over each year', () => {
    const [key = ''] = Object.keys(own.findResources('AWS::KMS::Key', { Properties: { EnableKeyRotation: true } }));
    const encrypted = own.findResources('AWS::DynamoDB::Table', {
      Properties: { SSESpecification: { SSEEnabled: true, KMSMasterKeyId: { 'Fn::GetAtt': [key, 'Arn'] } } },
    });
    expect(Object.keys(encrypted)).toHaveLength(2);
    template.resourceCountIs('AWS::KMS::Key', 0);
  });

  it('may be used by the functions that use the tables, action by action', () => {
    const actions = statementsFor(own, 'kms').flatMap(({ Action }) => Action);
    expect(actions).toContain('kms:Decrypt');
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });
});

describe('a secret for key hashes', () => {
  const keyed = synthesizeStack({ keySecret: true });
  const KEYED = ['Accounts', 'Transfers', 'Charges', 'Webhooks', 'DepositQueue', 'NotificationQueue', 'Settle'];

  it('R3 is given to the functions that hash keys and to no other', () => {
    const told = Object.entries(keyed.findResources('AWS::Lambda::Function')).filter(
      ([, { Properties }]) => Properties.Environment?.Variables?.IDEMPOTENCY_KEY_SECRET !== undefined,
    );
    expect(told.map(([id]) => KEYED.find((name) => id.startsWith(name))).toSorted()).toEqual(KEYED.toSorted());
    expect(JSON.stringify(told)).toContain('{{resolve:secretsmanager:');
  });

  it('is generated, kept with the tables, and absent by default', () => {
    keyed.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'Retain',
      Properties: { GenerateSecretString: Match.objectLike({ PasswordLength: 64 }) },
    });
    expect(JSON.stringify(template)).not.toContain('IDEMPOTENCY_KEY_SECRET');
  });
});
