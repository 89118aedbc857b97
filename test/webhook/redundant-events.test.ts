import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { routes } from '../../lib/http/routes.ts';
import { accountKey } from '../../lib/wallet/account.ts';
import { PaymentEvent } from '../../lib/wallet/payment-event.ts';
import { github } from '../../lib/webhook/github.ts';
import { standardWebhooks } from '../../lib/webhook/standard-webhooks.ts';
import { stripe } from '../../lib/webhook/stripe.ts';
import { webhookRoute } from '../../lib/webhook/webhook.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { AGAIN, DONE, openReceiver, SOURCES } from './receiver.ts';
import { SECRETS, signed } from './signed.ts';

let receiver: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  receiver = await openReceiver();
});

describe('an id that is not signed', () => {
  it('R31 cannot make a caught delivery new', async () => {
    const payment = await receiver.aPayment();
    await receiver.send(github, payment);
    const caught = signed(github, { id: payment.eventId, at: receiver.seconds(), body: payment.body });
    const replayed = await receiver.post(github, payment.body, {
      ...caught,
      'X-GitHub-Delivery': receiver.unique('evt_'),
    });
    expect(replayed).toMatchObject(AGAIN);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R31 guards effects without a natural id of their own', async () => {
    const account = await receiver.openAccount();
    const engine = createEngine({ store: receiver.store });
    const count = webhookRoute({
      ...{ source: github, engine, secrets: [SECRETS.github], body: PaymentEvent },
      run: () => ({
        effects: [
          {
            Update: {
              Key: accountKey(account),
              UpdateExpression: 'SET balance = balance + :one',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ],
      }),
    });
    const { body } = await receiver.aPayment({ account });
    const handle = routes({ 'POST /webhooks/github': count });
    for (const id of ['first', 'first', 'second']) {
      const headers = signed(github, { id, at: 0, body });
      await handle(httpEvent({ route: 'POST /webhooks/github', headers, body }), lambdaContext());
    }
    expect(await receiver.balanceOf(account)).toBe(1);
  });
});

describe('redundant sources', () => {
  it('R34 credit a payment once that both report', async () => {
    const payment = await receiver.aPayment();
    const report = (eventId: string) => receiver.aPayment({ ...payment.data, eventId });
    expect(await receiver.send(stripe, payment)).toMatchObject(DONE);
    expect(await receiver.send(standardWebhooks, await report(receiver.unique('msg_')))).toMatchObject(AGAIN);
    expect(await receiver.send(github, await report(receiver.unique('guid-')))).toMatchObject(AGAIN);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R34 credit it once when both report it at the same time', async () => {
    const payment = await receiver.aPayment();
    const reports = await Promise.all(
      SOURCES.map(() => receiver.aPayment({ ...payment.data, eventId: receiver.unique('evt_') })),
    );
    const answers = await Promise.all(SOURCES.map((source, index) => receiver.send(source, reports[index] ?? payment)));
    expect(answers.filter(({ duplicate }) => duplicate === false)).toHaveLength(1);
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });

  it('R34 are not believed when they differ about one payment', async () => {
    const payment = await receiver.aPayment();
    await receiver.send(stripe, payment);
    const other = await receiver.aPayment({ ...payment.data, amount: 900, eventId: receiver.unique('msg_') });
    expect(await receiver.send(standardWebhooks, other)).toMatchObject({ status: 409, code: 'event-id-reused' });
    expect(await receiver.balanceOf(payment.account)).toBe(500);
  });
});

describe('bodies', () => {
  it('R31 of an event that is no JSON or fits no schema are 400, without a mark', async () => {
    const before = await receiver.markers();
    for (const body of [
      'Hello, World!',
      '{"type":"payment.succeeded","data":{"amount":0}}',
      '{"amount":1,"amount":2}',
    ]) {
      expect(await receiver.send(standardWebhooks, { eventId: receiver.unique('evt_'), body }), body).toMatchObject({
        status: 400,
        code: 'invalid-body',
      });
    }
    expect(await receiver.markers()).toBe(before);
  });

  it('R31 over 256 KB are 413', async () => {
    const body = JSON.stringify({ id: 'evt', type: 'x'.repeat(262_144) });
    expect(await receiver.send(standardWebhooks, { eventId: 'evt', body })).toMatchObject({ status: 413 });
  });

  it('R31 of Stripe are the same event whatever the number of pending deliveries', async () => {
    const payment = await receiver.aPayment();
    const event = JSON.parse(payment.body);
    const counted = (pending: number) => ({
      ...payment,
      body: JSON.stringify({ ...event, pending_webhooks: pending }),
    });
    expect(await receiver.send(stripe, counted(2))).toMatchObject(DONE);
    expect(await receiver.send(stripe, counted(1))).toMatchObject(AGAIN);
  });
});
