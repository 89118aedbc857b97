import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { accountKey } from '../../lib/wallet/account.ts';
import { PaymentEvent } from '../../lib/wallet/payment-event.ts';
import { github } from '../../lib/webhook/github.ts';
import { webhookRoute } from '../../lib/webhook/webhook.ts';
import { AGAIN, DONE, openReceiver, SOURCES } from './receiver.ts';
import { signed } from './signed.ts';

const HOUR = 3_600_000;

/** Credits whatever comes: nothing but the marker keeps it from doing so twice. */
const creditBlindly = async ({ data }: z.infer<typeof PaymentEvent>) => ({
  effects: [
    {
      Update: {
        Key: accountKey(data.account),
        UpdateExpression: 'ADD balance :amount',
        ExpressionAttributeValues: { ':amount': data.amount },
      },
    },
  ],
});

let receiver: Awaited<ReturnType<typeof openReceiver>>;
let forgetful: typeof receiver;
beforeAll(async () => {
  [receiver, forgetful] = await Promise.all([openReceiver(), openReceiver({ run: creditBlindly })]);
});

describe.each(SOURCES.map((source) => ({ source, name: source.name })))('$name', ({ source }) => {
  it('R31 applies an event once, and answers 2xx each time', async () => {
    const payment = await receiver.aPayment();
    expect(await receiver.send(source, payment)).toMatchObject(DONE);
    expect(await receiver.send(source, payment)).toMatchObject(AGAIN);
    receiver.clock.now += 60_000;
    expect(await receiver.send(source, payment)).toMatchObject(AGAIN);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R31 applies an event once that is delivered ten times at once', async () => {
    const payment = await receiver.aPayment();
    const answers = await Promise.all(Array.from({ length: 10 }, () => receiver.send(source, payment)));
    expect(answers.filter(({ duplicate }) => duplicate === false)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R31 answers 401 and writes nothing for what is forged, stale, truncated, re-serialized or unsigned', async () => {
    const { eventId: id, body, account } = await receiver.aPayment();
    const right = signed(source, { id, at: receiver.seconds(), body });
    const before = await receiver.markers();
    const requests: Record<string, [string, Record<string, string>]> = {
      forged: [body, signed(source, { id, at: receiver.seconds(), body, secret: 'whsec_Zm9yZ2Vk' })],
      changed: [body.replace('500', '501'), right],
      truncated: [body.slice(0, -1), right],
      reserialized: [JSON.stringify(JSON.parse(body), null, 1), right],
      unsigned: [body, {}],
      empty: ['', right],
    };
    if (source !== github) requests.stale = [body, signed(source, { id, at: receiver.seconds() - 301, body })];
    if (source !== github) requests.early = [body, signed(source, { id, at: receiver.seconds() + 301, body })];
    for (const [kind, [text, headers]] of Object.entries(requests)) {
      expect(await receiver.post(source, text, headers), kind).toMatchObject({
        status: 401,
        code: 'signature-invalid',
      });
    }
    expect(await receiver.markers()).toBe(before);
    expect(await receiver.balanceOf(account)).toBe(0);
  });

  it.each(['null', 'true', '5', '"text"', '[]', '[{"id":"evt_1"}]', ''])(
    'R31 refuses a signed %s: an event is an object',
    async (body) => {
      const before = await receiver.markers();
      const answer = await receiver.send(source, { eventId: receiver.unique('evt_'), body });
      expect(answer).toMatchObject({ status: 400, code: 'invalid-body' });
      expect(await receiver.markers()).toBe(before);
    },
  );

  it('R31 refuses the same event id with another body', async () => {
    const payment = await receiver.aPayment();
    await receiver.send(source, payment);
    const other = await receiver.aPayment({
      ...payment.data,
      eventId: payment.eventId,
      amount: 700,
      id: receiver.unique('pay_'),
    });
    expect(await receiver.send(source, other)).toMatchObject({ status: 409, code: 'event-id-reused' });
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R31 acknowledges other types without an effect', async () => {
    const eventId = receiver.unique('evt_');
    const body = JSON.stringify({ id: eventId, type: 'payment.refunded', data: { account: 7 } });
    expect(await receiver.send(source, { eventId, body })).toMatchObject(DONE);
  });

  it('R31 leaves no mark of an event that cannot be applied yet', async () => {
    const account = receiver.unique('acct_late');
    const payment = await receiver.aPayment({ account });
    const before = await receiver.markers();
    expect(await receiver.send(source, payment)).toMatchObject({ status: 422, code: 'message-refused' });
    expect(await receiver.markers()).toBe(before);
    await receiver.openAccount(account, 'CHF');
    expect(await receiver.send(source, payment)).toMatchObject(DONE);
    expect(await receiver.balanceOf(account)).toBe(500);
  });

  it('C31 applies the redelivery of an event whose handler failed', async () => {
    const payment = await receiver.aPayment();
    const before = await receiver.markers();
    receiver.fault.thrown = new Error('the handler failed');
    expect(await receiver.send(source, payment)).toMatchObject({ status: 500 });
    receiver.fault.thrown = undefined;
    expect(await receiver.markers()).toBe(before);
    expect(await receiver.send(source, payment)).toMatchObject(DONE);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it.each([
    ['75 hours', 75 * HOUR, AGAIN, 500],
    ['30 days but a second', 30 * 24 * HOUR - 1_000, AGAIN, 500],
    ['more than 30 days, which is too late', 30 * 24 * HOUR + 1_000, DONE, 1_000],
  ])('C34 an event that comes back after %s', async (_, later, answer, balance) => {
    const payment = await forgetful.aPayment();
    await forgetful.send(source, payment);
    forgetful.clock.now += later;
    await forgetful.expire();
    expect(await forgetful.send(source, payment)).toMatchObject(answer);
    expect(await forgetful.balanceOf(payment.account)).toBe(balance);
  });

  it('R31 keeps what it knows for 30 days', async () => {
    const payment = await receiver.aPayment();
    const before = new Set((await receiver.remembered()).map(({ pk }) => pk));
    await receiver.send(source, payment);
    const added = (await receiver.remembered()).filter(({ pk }) => !before.has(pk));
    expect(added).toHaveLength(source.idIsSigned ? 1 : 2);
    for (const { expiresAt } of added) expect(expiresAt).toBe(Math.ceil(receiver.clock.now / 1_000) + 30 * 86_400);
  });

  it('C33 does not start with an empty secret', () => {
    const start = () => webhookRoute({ source, secrets: [''], body: PaymentEvent, run: () => ({ effects: [] }) });
    expect(start).toThrow(/empty/);
  });
});
