import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Answer } from '../engine/answer.ts';
import type { RunningAttempt } from '../engine/attempt.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { SemelError } from '../protocol/problems.ts';
import type { HttpEvent } from './request.ts';
import { type HttpResponse, respondAnswer, respondProblem } from './respond.ts';

export const logger = new Logger();

/**
 * Makes a Lambda handler out of a base handler: what it throws is answered as a problem (R19), and a fault is logged
 * with its stack but without the request's body or key.
 *
 * @rule R19
 */
export const answeringProblems = (base: (event: HttpEvent, context: Context) => Promise<HttpResponse>) =>
  middy<HttpEvent, HttpResponse>({
    // The engine's own deadline ends a run; an early answer here would leave it running behind the client's back.
    timeoutEarlyInMillis: 0,
  })
    .onError((request) => {
      const problem = asProblem(request.error);
      logFault(problem);
      request.response = respondProblem(problem);
    })
    .handler((event, context) => publishingMetrics(() => base(event, context)));

function asProblem(error: unknown): SemelError {
  if (error instanceof SemelError) return error;
  return new SemelError('internal-error', 'The service failed. Nothing is known to be wrong with the request.', {
    cause: error,
  });
}

/**
 * Answers a keyed request and logs its one line: which operation, how it ended, and the hash of its key, by which the
 * record is found. Neither body nor key is in it.
 *
 * @rule R38
 */
export function answerKeyed(attempt: RunningAttempt, answer: Answer): HttpResponse {
  const response = respondAnswer(answer);
  const line = { ...describeAttempt(attempt), operationId: answer.operationId, status: response.statusCode };
  if (answer.kind === 'reply') {
    logger.info('Answered', { ...line, outcome: answer.replayed ? 'replayed' : 'completed' });
  } else {
    const { problem } = answer;
    const told = { ...line, outcome: problem.code };
    if (problem.code === 'internal-error') logger.error('The handler failed', { ...told, error: faultBehind(problem) });
    else if (problem.cause instanceof Error) logger.warn('Answered', { ...told, error: problem.cause });
    else logger.info('Answered', told);
  }
  return response;
}

const describeAttempt = ({ operation, pk, correlationId }: RunningAttempt) => ({
  operation,
  keyHash: pk.slice(pk.indexOf('#') + 1),
  correlationId,
});

/** Logs what a problem hides from the client: the fault behind it. */
function logFault(problem: SemelError): void {
  if (problem.code !== 'internal-error') return;
  logger.error('The handler failed', { error: faultBehind(problem), operationId: problem.operationId });
}

const faultBehind = (problem: SemelError): Error => (problem.cause instanceof Error ? problem.cause : problem);
