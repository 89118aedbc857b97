import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

/** One Allow of a policy: the only kind of statement that is understood. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

/** AWS's own policies that allow nothing which the proxy decides about. */
const HARMLESS_MANAGED_POLICIES = new Set([
  'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
  'arn:aws:iam::aws:policy/AWSXRayDaemonWriteAccess',
]);

/**
 * Collects what each role may do, by the role's ARN: from its own policies and from those attached to it.
 * @throws SetupError for a statement that is not a plain Allow (Deny, Condition, NotAction, NotResource), for a
 *   permissions boundary and for a managed policy of AWS that is not known to be harmless
 */
export function readPolicies(stack: StackModel): Map<string, Statement[]> {
  const roles = stack.ofType('AWS::IAM::Role');
  const byRole = new Map(roles.map((role) => [String(role.identity.attributes.Arn), inlineStatements(role)]));
  const byName = new Map(roles.map((role) => [role.identity.ref, String(role.identity.attributes.Arn)]));
  for (const policy of stack.ofType('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')) {
    const statements = readDocument(policy.logicalId, policy.properties.PolicyDocument);
    for (const role of rolesOf(policy, roles)) byRole.get(byName.get(role) ?? '')?.push(...statements);
  }
  return byRole;
}

/** Roles name a managed policy, or the policy names its roles. */
function rolesOf(policy: Resource, roles: readonly Resource[]): string[] {
  const naming = roles.filter((role) => listOf(role.properties.ManagedPolicyArns).includes(policy.identity.ref));
  return [...listOf(policy.properties.Roles), ...naming.map((role) => role.identity.ref)];
}

function inlineStatements(role: Resource): Statement[] {
  if (role.properties.PermissionsBoundary !== undefined) {
    throw new SetupError(`${role.logicalId}: a permissions boundary is not understood here.`);
  }
  for (const arn of listOf(role.properties.ManagedPolicyArns)) {
    if (arn.startsWith('arn:aws:iam::aws:') && !HARMLESS_MANAGED_POLICIES.has(arn)) {
      throw new SetupError(`${role.logicalId}: the managed policy ${arn} is not understood here.`);
    }
  }
  const policies = (role.properties.Policies ?? []) as { PolicyDocument: unknown }[];
  return policies.flatMap(({ PolicyDocument }) => readDocument(role.logicalId, PolicyDocument));
}

function readDocument(logicalId: string, document: unknown): Statement[] {
  const { Statement: statements } = document as { Statement: unknown };
  return (Array.isArray(statements) ? statements : [statements]).map((statement) =>
    readStatement(logicalId, statement),
  );
}

const UNDERSTOOD = new Set(['Action', 'Effect', 'Resource', 'Sid']);

function readStatement(logicalId: string, statement: Record<string, unknown>): Statement {
  const strange = Object.keys(statement).filter((member) => !UNDERSTOOD.has(member));
  if (strange.length > 0 || statement.Effect !== 'Allow') {
    const reason = strange.length > 0 ? strange.join(', ') : `Effect ${JSON.stringify(statement.Effect)}`;
    throw new SetupError(`${logicalId}: a policy statement with ${reason} is not understood here.`);
  }
  return { actions: listOf(statement.Action), resources: listOf(statement.Resource) };
}

const listOf = (value: unknown): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];

/**
 * Does one of the statements allow the action on the resource? Nothing is allowed that is not allowed explicitly.
 * Actions compare without regard to case, resources with it, as in AWS.
 * @example isAllowed([{ actions: ['dynamodb:Get*'], resources: ['*'] }], 'dynamodb:GetItem', table) // → true
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function isAllowed(statements: readonly Statement[], action: string, resource: string): boolean {
  return statements.some(
    ({ actions, resources }) =>
      actions.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
      resources.some((pattern) => matches(pattern, resource)),
  );
}

const compiled = new Map<string, RegExp>();

/** IAM's wildcards: `*` for any run of characters, slashes and colons too, `?` for any one. */
function matches(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const escaped = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${escaped}$`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(text);
}
