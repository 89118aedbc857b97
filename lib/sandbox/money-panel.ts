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

  const isDouble = moves.some(({ times }) => times > 1);
  say('money-total', moneySentence(moves)).className = isDouble ? 'total bad' : 'total';
}

/** What moved for all payments. One charged twice and one not at all would add up, so what is wrong is said, too. */
export function moneySentence(moves: readonly Moved[]): string {
  const sum = moves.reduce((moved, { times }) => moved + times, 0);
  const sentence = `Money moved ${count(sum)} for ${moves.length} ${moves.length === 1 ? 'payment' : 'payments'}`;
  const doubles = moves.filter(({ times }) => times > 1).length;
  if (doubles === 0 || moves.length === 1) return `${sentence}.`;
  const none = moves.filter(({ times }) => times === 0).length;
  const missing = none === 0 ? '' : `, and ${none} not at all`;
  return `${sentence}: ${doubles} ${doubles === 1 ? 'was' : 'were'} charged more than once${missing}.`;
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
