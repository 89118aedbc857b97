import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { SemelError } from '../../lib/protocol/problems.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { github } from '../../lib/webhook/github.ts';
import { standardWebhooks } from '../../lib/webhook/standard-webhooks.ts';
import { stripe } from '../../lib/webhook/stripe.ts';
import { sign, verifySignature } from '../../lib/webhook/verify-signature.ts';
import type { WebhookSource } from '../../lib/webhook/webhook-source.ts';

const SIGNED_AT = 1_614_265_330;
const now = (secondsLater = 0) => milliseconds((SIGNED_AT + secondsLater) * 1_000);

interface Sent {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const delivery = ({ body, headers }: Sent) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { bytes: Buffer.from(body), header: (name: string) => lower.get(name.toLowerCase()) };
};

/** 'valid', or why not. */
function verdict(source: WebhookSource, secrets: readonly string[], sent: Sent, at = now()): string {
  try {
    verifySignature(
      source,
      secrets.map((secret) => source.key(secret)),
      delivery(sent),
      at,
    );
    return 'valid';
  } catch (error) {
    if (error instanceof SemelError && error.code === 'signature-invalid') return error.message;
    throw error;
  }
}

const FORGED = 'No signature matches the body as it arrived.';

describe('Standard Webhooks', () => {
  // The example that the specification's reference implementations test themselves with.
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const EXAMPLE = {
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': `${SIGNED_AT}`,
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  };
  const check = (changes: Record<string, string> = {}, at = now(), secrets = [SECRET]) =>
    verdict(standardWebhooks, secrets, { ...EXAMPLE, headers: { ...EXAMPLE.headers, ...changes } }, at);
  const checkBody = (body: string | Uint8Array) => verdict(standardWebhooks, [SECRET], { ...EXAMPLE, body });

  it('R31 verifies the public example', () => {
    expect(check()).toBe('valid');
    expect(check({}, now(), [SECRET.slice('whsec_'.length)])).toBe('valid');
  });

  it('R31 verifies what the reference package signs', () => {
    const body = '{"amount":500,"to":"München €"}';
    const signature = new Webhook(SECRET).sign('msg_1', new Date(now()), body);
    const headers = { ...EXAMPLE.headers, 'webhook-id': 'msg_1', 'webhook-signature': signature };
    expect(verdict(standardWebhooks, [SECRET], { body, headers })).toBe('valid');
  });

  it('R31 takes any of several signatures and any of several secrets', () => {
    const [valid] = [EXAMPLE.headers['webhook-signature']];
    const other = `v1,${Buffer.alloc(32).toString('base64')}`;
    expect(check({ 'webhook-signature': `${other} v1a,xyz ${valid}` })).toBe('valid');
    expect(check({}, now(), ['whsec_bmV3IHNlY3JldA==', SECRET])).toBe('valid');
    expect(check({}, now(), ['whsec_bmV3IHNlY3JldA=='])).toBe(FORGED);
  });

  it('R31 refuses a body that is not the signed bytes', () => {
    expect(checkBody('{"test": 2432232315}')).toBe(FORGED);
    expect(checkBody('{"test": 24322323')).toBe(FORGED);
    expect(checkBody(new Uint8Array())).toBe(FORGED);
  });

  it('C32 refuses a body that a proxy wrote anew', () => {
    expect(checkBody(JSON.stringify(JSON.parse(EXAMPLE.body)))).toBe(FORGED);
  });

  it('C32 compares bytes, not what they decode to', () => {
    const replaced = '"\ufffd"';
    const signature = new Webhook(SECRET).sign('msg_1', new Date(now()), replaced);
    const headers = { ...EXAMPLE.headers, 'webhook-id': 'msg_1', 'webhook-signature': signature };
    expect(verdict(standardWebhooks, [SECRET], { body: replaced, headers })).toBe('valid');
    const undecodable = Uint8Array.of(0x22, 0xff, 0x22);
    expect(verdict(standardWebhooks, [SECRET], { body: undecodable, headers })).toBe(FORGED);
  });

  it('R31 refuses a shortened, respelled or unversioned signature', () => {
    const signature = EXAMPLE.headers['webhook-signature'];
    for (const changed of [
      signature.slice(0, -1),
      signature.slice(0, 20),
      signature.slice('v1,'.length),
      signature.replace('v1,', 'v2,'),
      `${signature}=`,
      'v1,',
      '',
    ]) {
      expect(check({ 'webhook-signature': changed }), changed).toBe(FORGED);
    }
  });

  it('R31 refuses an unsigned request and another message id', () => {
    const { 'webhook-signature': _, ...unsigned } = EXAMPLE.headers;
    const UNSIGNED = 'The request is not signed the way standard signs.';
    expect(verdict(standardWebhooks, [SECRET], { ...EXAMPLE, headers: unsigned })).toBe(UNSIGNED);
    expect(verdict(standardWebhooks, [SECRET], { ...EXAMPLE, headers: {} })).toBe(UNSIGNED);
    expect(check({ 'webhook-id': 'msg_other' })).toBe(FORGED);
  });

  it('R31 refuses an id with a full stop, which would let the parts be cut elsewhere', () => {
    // Signed once as id "a", time "1614265330", body "1614265330.{}": the same text as the request below.
    const signature = `v1,${sign(standardWebhooks, standardWebhooks.key(SECRET), [`a.${SIGNED_AT}.${SIGNED_AT}.{}`])}`;
    const headers = { ...EXAMPLE.headers, 'webhook-id': `a.${SIGNED_AT}`, 'webhook-signature': signature };
    expect(verdict(standardWebhooks, [SECRET], { body: '{}', headers })).toMatch(/^The request is not signed/);
  });

  it('R31 takes five minutes of difference in either direction and no second more', () => {
    expect(check({}, now(300))).toBe('valid');
    expect(check({}, now(-300))).toBe('valid');
    expect(check({}, now(301))).toBe('The timestamp is 301 s in the past; 300 s are allowed.');
    expect(check({}, now(-301))).toBe('The timestamp is 301 s in the future; 300 s are allowed.');
  });

  it('R31 takes whole numbers as timestamps and nothing that merely starts with one', () => {
    for (const timestamp of [
      `${SIGNED_AT}abc`,
      `${SIGNED_AT}.0`,
      `+${SIGNED_AT}`,
      `0${SIGNED_AT}`,
      '1.6e9',
      ' ',
      '0x10',
    ]) {
      expect(check({ 'webhook-timestamp': timestamp }), timestamp).toBe(
        'The timestamp must be a whole number of epoch seconds.',
      );
    }
  });

  it('R31 refuses secrets that are not base64', () => {
    expect(() => standardWebhooks.key('whsec_not base64')).toThrow(/base64/);
    expect(() => standardWebhooks.key('plain text!')).toThrow(/base64/);
  });
});

describe('Stripe', () => {
  const SECRET = 'whsec_test_secret';
  const BODY = '{"id":"evt_1","type":"payment.succeeded"}';
  const signature = (body = BODY, secret = SECRET) =>
    sign(stripe, Buffer.from(secret), [`${SIGNED_AT}.`, Buffer.from(body)]);
  const check = (header: string, body: string = BODY, at = now(), secrets = [SECRET]) =>
    verdict(stripe, secrets, { body, headers: { 'Stripe-Signature': header } }, at);

  it('R31 verifies its scheme as documented', () => {
    expect(check(`t=${SIGNED_AT},v1=${signature()}`)).toBe('valid');
    expect(check(`t=${SIGNED_AT}, v1=${signature('x')}, v1=${signature()}, v0=ff`)).toBe('valid');
    expect(check(`t=${SIGNED_AT},v1=${signature()}`, BODY, now(), ['whsec_new', SECRET])).toBe('valid');
  });

  it('R31 refuses what is forged, stale, truncated, of another scheme or unsigned', () => {
    expect(check(`t=${SIGNED_AT},v1=${signature(BODY, 'guess')}`)).toBe(FORGED);
    expect(check(`t=${SIGNED_AT},v1=${signature()}`, BODY, now(301))).toMatch(/301 s in the past/);
    expect(check(`t=${SIGNED_AT},v1=${signature()}`, BODY.slice(0, -1))).toBe(FORGED);
    expect(check(`t=${SIGNED_AT},v1=${signature().slice(0, 32)}`)).toBe(FORGED);
    expect(check(`t=${SIGNED_AT},v0=${signature()}`)).toBe(FORGED);
    expect(check(`t=${SIGNED_AT + 1},v1=${signature()}`)).toBe(FORGED);
    expect(check(`v1=${signature()}`)).toMatch(/not signed/);
    expect(check('')).toMatch(/not signed/);
  });

  it('R31 refuses two timestamps, of which one could be checked and the other signed', () => {
    expect(check(`t=${SIGNED_AT},t=${SIGNED_AT},v1=${signature()}`)).toMatch(/not signed/);
  });
});

describe('GitHub', () => {
  // From GitHub's documentation on validating deliveries.
  const SECRET = "It's a Secret to Everybody";
  const EXAMPLE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const check = (header: string, body = 'Hello, World!', secrets = [SECRET]) =>
    verdict(github, secrets, { body, headers: { 'X-Hub-Signature-256': header } });

  it('R31 verifies the documented example', () => {
    expect(check(EXAMPLE)).toBe('valid');
    expect(check(EXAMPLE, 'Hello, World!', ['new', SECRET])).toBe('valid');
  });

  it('R31 refuses what is forged, truncated, of another scheme or unsigned', () => {
    expect(check(EXAMPLE, 'Hello, World?')).toBe(FORGED);
    expect(check(EXAMPLE, 'Hello, World!', ['guess'])).toBe(FORGED);
    expect(check(EXAMPLE.slice(0, -1))).toBe(FORGED);
    expect(check(EXAMPLE.toUpperCase().replace('SHA256', 'sha256'))).toBe(FORGED);
    expect(check(EXAMPLE.replace('sha256=', 'sha1='))).toMatch(/not signed/);
    expect(verdict(github, [SECRET], { body: 'Hello, World!', headers: {} })).toMatch(/not signed/);
  });
});
