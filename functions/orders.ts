import { route } from '../lib/http/endpoint.ts';
import { routes } from '../lib/http/routes.ts';
import { CreateOrder, placeOrder } from '../lib/wallet/order.ts';
import { PayOrder, payOrder } from '../lib/wallet/order-payment.ts';

export const handler = routes({
  'POST /orders': route({
    mode: 'natural',
    body: CreateOrder,
    run: ({ body, caller, request }) => placeOrder({ ...body, caller, now: request.now }),
  }),
  'POST /orders/{orderId}/payment': route({
    mode: 'natural',
    body: PayOrder,
    run: ({ body, caller, params, request, read }) =>
      payOrder({ ...body, orderId: params.orderId ?? '', caller, request }, read),
  }),
});
