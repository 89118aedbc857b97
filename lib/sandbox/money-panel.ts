import { byId, fill, make, say } from './element.ts';
import { euros } from './euros.ts';
import type { CloudState } from './local-cloud.ts';
import { type Moved, movedBy, type Payment } from './payment.ts';

/** Shows what happened in truth: how often the card was charged for each payment, the newest first. */
export async function showMoney(payments: readonly Payment[], state: CloudState): Promise<void> {
  const sent = payments.filter(({ keys }) => keys.length > 0);
  const moves = await Promise.all(sent.map((payment) => movedBy(payment, state)));
  const lines = sent.map(({ number }, index) => lineOf(number, moves[index] ?? NOTHING)).toReversed();
  const empty = make('li', { className: 'empty' }, 'Nothing has been sent yet.');
  fill(byId('money', HTMLUListElement), ...(lines.length > 0 ? lines : [empty]));

  const times = moves.reduce((sum, move) => sum + move.times, 0);
  const isDouble = moves.some((move) => move.times > 1);
  const sentence = `Money moved ${count(times)} for ${sent.length} ${sent.length === 1 ? 'payment' : 'payments'}.`;
  const total = say('money-total', sentence);
  total.className = isDouble ? 'total bad' : 'total';
}

const NOTHING: Moved = { times: 0, amount: 0 };

function lineOf(number: number, { times, amount }: Moved): HTMLLIElement {
  const isDouble = times > 1;
  const verdict = isDouble ? `Charged ${count(times)}!` : times === 1 ? 'Charged once' : 'Not charged';
  return make(
    'li',
    { className: isDouble ? 'bad' : times === 1 ? 'good' : 'plain' },
    `Payment ${number}: `,
    make('strong', {}, verdict),
    ` ${euros(amount)}`,
  );
}

/** @example count(2) // 'twice' */
const count = (times: number): string => ['0 times', 'once', 'twice'][times] ?? `${times} times`;
