import type { ProxiedCall, Reaction } from './aws-proxy.ts';
import type { KeptCall } from './call-log.ts';
import { readUnits, writeUnits } from './capacity.ts';
import type { DynamoDbRequest } from './dynamodb-request.ts';

/** Describes a call that is over. */
export function recordCall(call: ProxiedCall, reaction: Reaction): KeptCall {
  const { environment, invocation } = call;
  const request = call.request?.service === 'dynamodb' ? call.request : undefined;
  const answer =
    reaction.kind === 'answer' && request !== undefined && !isWrite(request) ? parse(reaction.body) : undefined;
  const units = request !== undefined && isWrite(request) ? writeUnits(request) : null;
  const recorded = {
    at: call.at,
    function: environment.definition.name,
    invocation: invocation?.id ?? null,
    request: invocation?.request ?? null,
    operation: request?.operationId ?? null,
    call: call.number,
    action: call.request === undefined ? call.target : `${call.request.service}:${call.request.action}`,
    permissions: (call.request?.permissions ?? []).map(({ action, resource }) => `${action} ${resource}`),
    tables: request?.tables ?? [],
    queue: call.request?.service === 'sqs' ? call.request.queue : null,
    items: call.request?.items ?? answer?.Count ?? null,
    writeUnits: units,
    readUnits: request !== undefined && answer !== undefined ? readUnits(request, answer) : null,
    status: reaction.kind === 'answer' ? reaction.status : 0,
    error: (reaction.kind === 'answer' ? reaction.error : undefined) ?? null,
    fault: call.fault ?? null,
    duration: Date.now() - call.at,
  };
  return { call: recorded, unsized: units === null && request !== undefined && isWrite(request) ? request : undefined };
}

const isWrite = ({ writes }: DynamoDbRequest): boolean => writes.length > 0;

const parse = (body: Buffer): { readonly Count?: number } => JSON.parse(body.toString() || '{}');
