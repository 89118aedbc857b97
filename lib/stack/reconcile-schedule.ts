import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { BundledFunction } from '../constructs/bundled-function.ts';
import { grantData } from '../constructs/data-access.ts';
import { ENVIRONMENT } from '../environment.ts';
import { functionFile } from './function-file.ts';
import type { WalletParts } from './wallet-endpoints.ts';

/** Every minute, finishes the charges and refunds whose clients did not come back. */
export const addReconcileSchedule = (stack: Stack, { idempotency, data, providerUrl }: WalletParts): void => {
  const { function: reconcile } = new BundledFunction(stack, 'Reconcile', {
    entry: functionFile('reconcile'),
    serviceName: 'wallet',
    // Under a minute, so that two runs seldom meet; they may.
    timeout: Duration.seconds(50),
    environment: { [ENVIRONMENT.providerUrl]: providerUrl },
  });
  idempotency.grantReconcile(reconcile);
  grantData(reconcile, { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem'] });
  new Rule(stack, 'ReconcileEveryMinute', {
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(reconcile)],
  });
};
