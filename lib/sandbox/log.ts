import { byId, make } from './element.ts';
import type { Explanation } from './explanation.ts';
import { RULE_NAMES } from './rule-names.ts';

/** So many lines are kept. */
const LONGEST = 100;

/** A list of what happened, newest first; the newest line is near the buttons, too, and read out by screen readers there. */
export class Log {
  readonly #list: HTMLOListElement;
  readonly #newest: HTMLElement;

  /** @param name of the elements: the list's is `<name>-log`, that of the newest line `<name>-newest` */
  constructor(name: string) {
    this.#list = byId(`${name}-log`, HTMLOListElement);
    this.#newest = byId(`${name}-newest`, HTMLElement);
  }

  add({ title, text, rule, tone }: Explanation): void {
    const time = make('time', {}, new Date().toLocaleTimeString('en-GB'));
    const line = make('li', { className: tone }, time, ' ', make('strong', {}, title), ' ', make('span', {}, text));
    if (rule !== undefined) {
      line.append(' ', make('abbr', { className: 'rule', title: `${rule}: ${RULE_NAMES[rule]}` }, rule));
    }
    this.#list.prepend(line);
    this.#list.children[LONGEST]?.remove();
    this.#newest.replaceChildren(...line.cloneNode(true).childNodes);
    // A tooltip is nothing for a finger.
    if (rule !== undefined) this.#newest.append(make('small', {}, ` ${RULE_NAMES[rule]}.`));
    this.#newest.className = `newest ${tone}`;
  }

  /** Begins anew. */
  begin(): void {
    this.#list.replaceChildren();
    this.add({ title: 'Reset', tone: 'plain', text: 'Everything is empty, and the accounts are as at the start.' });
  }
}
