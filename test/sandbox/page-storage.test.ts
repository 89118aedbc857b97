import { describe, expect, it } from 'vitest';
import { NotKept, PageStorage } from '../../lib/sandbox/page-storage.ts';

/** A browser's storage, as far as the page uses one. */
class Items {
  [name: string]: unknown;
  getItem(name: string) {
    return this[name] ?? null;
  }
  setItem(name: string, value: string) {
    this[name] = value;
  }
  removeItem(name: string) {
    delete this[name];
  }
}
const opened = (items: object): PageStorage => new PageStorage(() => items as Storage);

describe('the page’s storage', () => {
  const blocked = new PageStorage(() => {
    throw new DOMException('Access is denied', 'SecurityError');
  });

  it('R39 that is blocked has nothing, keeps nothing, and says so', () => {
    expect(blocked.getItem('semel:intent:payment-1')).toBeNull();
    expect(() => blocked.setItem('semel:intent:payment-1', '{}')).toThrow(NotKept);
    expect(blocked.isBlocked).toBe(true);
    blocked.removeItem('semel:intent:payment-1');
    blocked.forgetAll();
  });

  it('R39 that is full says so', () => {
    const full = opened({
      setItem: () => {
        throw new DOMException('Exceeded the quota', 'QuotaExceededError');
      },
    });
    expect(full.isBlocked).toBe(false);
    expect(() => full.setItem('semel:intent:payment-1', '{}')).toThrow(/full/);
  });

  it('R39 does not give what is damaged', () => {
    const storage = opened(Object.assign(new Items(), { good: '[1]', bad: '[{' }));
    expect(storage.getItem('good')).toBe('[1]');
    expect(storage.getItem('none')).toBeNull();
    expect(() => storage.getItem('bad')).toThrow(/damaged/);
  });

  it('forgets what is the page’s own, and nothing else', () => {
    const items = Object.assign(new Items(), { 'semel:sandbox:payments': '[]', theirs: '1' });
    opened(items).forgetAll();
    expect(Object.keys(items)).toEqual(['theirs']);
  });
});
