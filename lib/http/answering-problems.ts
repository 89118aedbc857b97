import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Answer } from '../engine/answer.ts';
import { SemelError } from '../protocol/problems.ts';
import type { HttpEvent } from './request.ts';
import { type HttpResponse, respondAnswer, respondProblem } from './respond.ts';

const logger = new Logger();

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
    .handler((event, context) => base(event, context));

function asProblem(error: unknown): SemelError {
  if (error instanceof SemelError) return error;
  return new SemelError('internal-error', 'The service failed. Nothing is known to be wrong with the request.', {
    cause: error,
  });
}

/** Answers a keyed request, logging the fault behind a failure with the operation it belongs to. */
export function answerKeyed(answer: Answer): HttpResponse {
  if (answer.kind === 'problem') logFault(answer.problem, answer.operationId);
  return respondAnswer(answer);
}

/** Logs what a problem hides from the client: the fault behind it. */
function logFault(problem: SemelError, operationId = problem.operationId): void {
  if (problem.code !== 'internal-error') return;
  const error = problem.cause instanceof Error ? problem.cause : problem;
  logger.error('The handler failed', { error, operationId });
}
