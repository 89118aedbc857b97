import { DeliveryError } from '../client/delivery-error.ts';
import type { Explanation } from './explanation.ts';
import { CloudError } from './local-cloud.ts';
import { NotKept } from './page-storage.ts';
import type { Payment } from './payment.ts';

/** Says why a press came to nothing: the browser's storage, the local cloud and the page are different culprits. */
export function explainFailure(error: unknown): Explanation {
  if (error instanceof NotKept) return notKept(error.message);
  if (error instanceof CloudError) return notDone(error.status);
  if (!(error instanceof DeliveryError)) {
    return { title: 'Failed', tone: 'bad', text: `The page itself failed: ${(error as Error).message}` };
  }
  if (error.problem === 'storage') {
    return notKept(error.cause instanceof NotKept ? error.cause.message : 'This browser did not keep a key in time.');
  }
  return notDone(error.response?.status);
}

const notKept = (why: string): Explanation => {
  const text = `${why} What cannot be kept is not sent.`;
  return { title: 'Not kept', tone: 'bad', rule: 'R39', text };
};

const notDone = (status: number | undefined): Explanation =>
  status === undefined
    ? { title: 'No answer', tone: 'bad', text: 'The local cloud did not answer. Press again when it is back.' }
    : { title: 'Not done', tone: 'bad', text: `The local cloud answered ${status}.` };

/** Says that the cloud does not answer, and what becomes of what is pending. */
export function explainOutage(payments: readonly Payment[]): string {
  const pending = payments.filter((payment) => payment.pending);
  const sentences = pending
    .filter(({ naive }) => naive)
    .map(
      ({ number }) =>
        `Payment ${number} is not sent again by itself: its server ignores keys, so it may be charged twice.`,
    );
  if (pending.some(({ naive }) => !naive)) sentences.unshift('What is pending is finished when it is back.');
  return ['The local cloud does not answer.', ...sentences].join(' ');
}
