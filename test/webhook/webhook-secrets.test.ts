import { describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../lib/protocol/time.ts';
import { environmentKeys } from '../../lib/webhook/environment-keys.ts';
import { github } from '../../lib/webhook/github.ts';
import { standardWebhooks } from '../../lib/webhook/standard-webhooks.ts';
import { stripe } from '../../lib/webhook/stripe.ts';
import { fixedKeys, rotatingKeys, splitSecrets } from '../../lib/webhook/webhook-secrets.ts';

const text = (keys: readonly Uint8Array[] | undefined) => keys?.map((key) => Buffer.from(key).toString());

describe('secrets', () => {
  it('C33 that are empty refuse to start', () => {
    for (const source of [standardWebhooks, stripe, github]) {
      expect(() => fixedKeys(source, ['']), source.name).toThrow(/is empty: anyone could sign/);
      expect(() => fixedKeys(source, [' '])).toThrow(/is empty/);
      expect(() => fixedKeys(source, ['c2VjcmV0', ''])).toThrow(/Secret 2 .* is empty/);
      expect(() => fixedKeys(source, [])).toThrow(/has no secret/);
    }
    expect(() => fixedKeys(standardWebhooks, ['whsec_'])).toThrow(/empty key/);
  });

  it('C33 that the environment sets to nothing refuse to start', () => {
    vi.stubEnv('WEBHOOK_SECRET_GITHUB', '');
    expect(() => environmentKeys(github, () => milliseconds(0))).toThrow(/is empty/);
    vi.stubEnv('WEBHOOK_SECRET_GITHUB', undefined);
    expect(() => environmentKeys(github, () => milliseconds(0))).toThrow(/WEBHOOK_SECRET_GITHUB/);
  });

  it('R31 are not in the message that refuses them', () => {
    expect(() => fixedKeys(standardWebhooks, ['whsec_§§§'])).toThrow(/^(?!.*§)/);
  });

  it('R31 are one a line', async () => {
    expect(splitSecrets('new\r\nold\n')).toEqual(['new', 'old']);
    vi.stubEnv('WEBHOOK_SECRET_GITHUB', 'new\nold');
    expect(text(await environmentKeys(github, () => milliseconds(0)).current())).toEqual(['new', 'old']);
  });
});

describe('rotation', () => {
  const rotating = () => {
    const state = { secrets: ['old'], now: 0, reads: 0, down: false };
    const read = async () => {
      state.reads += 1;
      if (state.down) throw new Error('unreachable');
      return state.secrets;
    };
    return { state, ring: rotatingKeys(github, read, () => milliseconds(state.now)) };
  };

  it('R31 reads secrets once and again after five minutes', async () => {
    const { state, ring } = rotating();
    expect(text(await ring.current())).toEqual(['old']);
    state.secrets = ['new', 'old'];
    state.now = 299_999;
    expect(text(await ring.current())).toEqual(['old']);
    state.now = 300_000;
    expect(text(await ring.current())).toEqual(['new', 'old']);
    expect(state.reads).toBe(2);
  });

  it('R31 reads them anew for a signature that none of them made, but not for each', async () => {
    const { state, ring } = rotating();
    await ring.current();
    state.secrets = ['new'];
    state.now = 9_999;
    expect(await ring.renewed()).toBeUndefined();
    state.now = 10_000;
    expect(text(await ring.renewed())).toEqual(['new']);
    expect(await ring.renewed()).toBeUndefined();
    expect(text(await ring.current())).toEqual(['new']);
  });

  it('R31 keeps the known ones while they cannot be read', async () => {
    const { state, ring } = rotating();
    await ring.current();
    state.now = 400_000;
    state.down = true;
    expect(text(await ring.current())).toEqual(['old']);
    expect(await ring.renewed()).toBeUndefined();
  });

  it('C33 fails on an empty secret that appears later, instead of signing with it', async () => {
    const { state, ring } = rotating();
    state.secrets = [''];
    await expect(ring.current()).rejects.toThrow(/is empty/);
  });
});
