import { type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { findProblem } from '../protocol/problems.ts';

/**
 * What a problem's `type` URL answers: its entry in the table, so that a client's author can look it up (R19).
 *
 * @rule R19
 */
export function showProblem(code: string): ReplyDraft | Refusal {
  const problem = findProblem(code);
  if (problem === undefined) return refuse('problem-not-found', `There is no problem ${code}.`);
  const { status, title, retryable, stored } = problem;
  return { status: 200, body: { type: `/problems/${code}`, status, title, retryable, stored } };
}
