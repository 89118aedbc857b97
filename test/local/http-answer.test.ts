import { describe, expect, it } from 'vitest';
import { httpAnswer } from '../../lib/local/http-answer.ts';

const answerTo = (value: unknown) => {
  const answer = httpAnswer({ kind: 'returned', payload: JSON.stringify(value) });
  return { ...answer, body: answer.body.toString() };
};

describe('httpAnswer', () => {
  it.each<[unknown, string]>([
    [{ message: 'hi' }, '{"message":"hi"}'],
    ['hi', 'hi'],
    [[1], '[1]'],
    [null, 'null'],
  ])('takes %j, which has no statusCode, for the body', (value, body) => {
    expect(answerTo(value)).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      cookies: [],
      body,
    });
  });

  it('passes status, headers, cookies and body on', () => {
    expect(
      answerTo({ statusCode: 201, headers: { ETag: '"1"', 'Content-Type': 'a/b', n: 1 }, cookies: ['a=1'], body: 'x' }),
    ).toEqual({
      status: 201,
      headers: { etag: '"1"', 'content-type': 'a/b', n: '1' },
      cookies: ['a=1'],
      body: 'x',
    });
  });

  it('calls a body without a type plain text', () => {
    expect(answerTo({ statusCode: 200, body: 'x' }).headers).toEqual({ 'content-type': 'text/plain; charset=utf-8' });
    expect(answerTo({ statusCode: 204 }).headers).toEqual({});
  });

  it('decodes base64', () => {
    expect(
      httpAnswer({ kind: 'returned', payload: '{"statusCode":200,"body":"AP8=","isBase64Encoded":true}' }).body,
    ).toEqual(Buffer.from([0, 255]));
  });

  it.each([
    { statusCode: 'none' },
    { statusCode: 99 },
    { statusCode: 600 },
    { statusCode: 200.5 },
    { statusCode: 200, body: { a: 1 } },
  ])('answers 500 for %j', (value) => {
    expect(answerTo(value)).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
  });
});
