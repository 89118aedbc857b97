/** The browser did not keep, or not well, what it was given to keep; the message is for who looks at the page. */
export class NotKept extends Error {}

export const BLOCKED =
  'This browser keeps nothing for this page, so no key could be kept. That happens where cookies or site data are blocked, and in some private windows and frames.';
const FULL = 'This browser’s storage for this page is full.';
export const DAMAGED = 'What this browser kept for this page is damaged. Reset the local cloud to begin anew.';

const OWN = 'semel:';

/** What the browser keeps for the page, which is JSON; it fails with nothing but what a person can read. */
export class PageStorage {
  /** Absent where the browser blocks it. */
  readonly #items: Storage | undefined;

  /** @param open gives the browser's storage; where it is blocked, already this throws */
  constructor(open: () => Storage) {
    try {
      this.#items = open();
    } catch {
      this.#items = undefined;
    }
  }

  get isBlocked(): boolean {
    return this.#items === undefined;
  }

  /** @throws NotKept when what is there is damaged */
  getItem(name: string): string | null {
    const text = this.#items?.getItem(name) ?? null;
    if (text !== null && !isJson(text)) throw new NotKept(DAMAGED);
    return text;
  }

  /** @throws NotKept when it is blocked or full: then what needs it must not be sent */
  setItem(name: string, value: string): void {
    if (this.#items === undefined) throw new NotKept(BLOCKED);
    try {
      this.#items.setItem(name, value);
    } catch (cause) {
      throw new NotKept(FULL, { cause });
    }
  }

  removeItem(name: string): void {
    this.#items?.removeItem(name);
  }

  /** Forgets all that is the page's, its client's keys too. */
  forgetAll(): void {
    for (const name of Object.keys(this.#items ?? {})) if (name.startsWith(OWN)) this.removeItem(name);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
