import { byId, fill, make, say } from './element.ts';
import type { SenderView } from './explain-delivery.ts';
import { type CloudState, readState } from './local-cloud.ts';

/** So often, and so many milliseconds apart, is looked whether a queue has something left to do. */
const LOOKS = 80;
const BETWEEN_LOOKS = 250;

/** How the names of the queues begin, wherever they are in the stack. */
export const QUEUES = { deposits: 'DepositQueue', senders: 'SenderQueue' } as const;

type Queue = CloudState['queues'][number];

const isCalled = ({ name }: Queue, part: string): boolean => name.includes(part) && !isDeadLetters(name);
const isDeadLetters = (name: string): boolean => /dead/i.test(name);

/** Waits until a queue has nothing left, or for long enough. */
export async function drained(part: string): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { queues } = await readState();
    const left = queues
      .filter((queue) => isCalled(queue, part))
      .reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
    if (left === 0) return;
    await new Promise((later) => setTimeout(later, BETWEEN_LOOKS));
  }
}

/** Shows what waits in the queues, and what lies in those for dead letters. */
export function showQueues({ queues, deadLetters }: CloudState): void {
  const rows = Object.entries({ Deposits: QUEUES.deposits, 'Numbered messages': QUEUES.senders }).map(
    ([label, part]) => {
      const found = queues.find((queue) => isCalled(queue, part));
      return make(
        'tr',
        {},
        ...[label, found?.visible ?? 0, found?.inFlight ?? 0].map((cell) => make('td', {}, `${cell}`)),
      );
    },
  );
  fill(byId('queues', HTMLTableSectionElement), ...rows);
  const letters = deadLetters.map(({ eventId, reason }) => make('li', {}, make('strong', {}, reason), ` ${eventId}`));
  const empty = make('li', { className: 'empty' }, 'None.');
  fill(byId('dead-letters', HTMLUListElement), ...(letters.length > 0 ? letters : [empty]));
}

export function showSender({ appliedUpTo, total, expected, gaps }: SenderView): void {
  const missing = gaps.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
  say(
    'sender',
    `Applied up to ${appliedUpTo}, total ${total}. Expected next: ${expected}.${missing && ` Missing: ${missing}.`}`,
  );
}
