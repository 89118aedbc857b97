import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, parseIJson } from '../../lib/protocol/i-json.ts';
import { problemOf } from './problem-of.ts';

const refusalOf = (text: string) => {
  const problem = problemOf(() => parseIJson(text));
  expect(problem.code).toBe('invalid-body');
  return problem.message;
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Members that the scan could stumble over: separators, quotes and backslashes inside strings. */
const trickyText = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', '1', '-', '\n', '€', '😀'),
});
const trickyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    trickyText,
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(trickyText, tie('value'), { maxKeys: 4 }),
})).value;

describe('parseIJson', () => {
  it.each([
    '{"a":[1,2,{"b":null}],"c":"x"}',
    ' [ true , false , null , -1.5e3 ] ',
    '"text"',
    '0',
    '{}',
    '[]',
    '{"a":1,"A":2," a":3}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '{"a":"a","b":"a"}',
    '["a","a"]',
    '{"a":["b"],"b":1}',
    '"\\ud83d\\ude00"',
    '"😀"',
    '"\\\\ud800"',
    '{"\\"":1,"\\\\":2}',
    '{"toJSON":1,"constructor":2,"hasOwnProperty":3}',
  ])('R6 takes %s as JSON.parse does', (text) => {
    expect(parseIJson(text)).toEqual(JSON.parse(text));
  });

  it('R6 agrees with JSON.parse on safe values', () => {
    fc.assert(
      fc.property(trickyJson, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseIJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('R6 refuses a repeated member wherever it is', () => {
    fc.assert(
      fc.property(trickyText, trickyJson, trickyJson, (name, a, b) => {
        const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        expect(refusalOf(`[{"outer":{${member(a)},"${'between'.repeat(3)}":0,${member(b)}}}]`)).toContain('twice');
      }),
    );
  });

  it.each([
    ['{"amount":1,"amount":2}', '/amount is a member that occurs twice'],
    ['{"amount":1,"amount":1}', 'twice'],
    ['{"a":1,"\\u0061":2}', '/a is a member that occurs twice'],
    ['{"":1,"":2}', 'at / is a member that occurs twice'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__ is a member that occurs twice'],
    ['[0,{"x":{"a/b~c":1,"a/b~c":2}}]', 'at /1/x/a~1b~0c is a member'],
    ['{"a":{},"b":[],"a":1}', '/a is a member that occurs twice'],
  ])('C20 refuses the repeated member in %s', (text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it.each([
    ['"\\ud800"', 'itself holds a lone surrogate'],
    ['["a","\\ud800x"]', 'at /1 holds a lone surrogate'],
    ['{"a":"\\udc00\\ud800"}', 'at /a holds a lone surrogate'],
    ['{"\\ud800":1}', 'itself has a member whose name holds a lone surrogate'],
    ['[{"a":1,"\\ud800":1}]', 'at /0 has a member whose name holds a lone surrogate'],
    ['"\\uD83D \\uDE00"', 'holds a lone surrogate'],
    ['"\ud800"', 'holds a lone surrogate'],
  ])('C20 refuses the lone surrogate in %j', (text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it.each([
    ['9007199254740992', 'beyond'],
    ['-9007199254740992', 'beyond'],
    ['9007199254740993', 'beyond'],
    ['1e20', 'beyond'],
    ['-1E+20', 'beyond'],
    ['9007199254740991.9', 'beyond'],
    ['90071992547409930e-1', 'beyond'],
  ])('C18 refuses %s, which another number looks like', (number, message) => {
    expect(refusalOf(`{"amount":${number}}`)).toBe(
      `The body's value at /amount is a number ${message} ±(2^53−1), where integers get mixed up.`,
    );
    expect(refusalOf(number)).toContain("The body's value itself is");
  });

  it.each([
    ['1e400', 'too large'],
    ['-1e400', 'too large'],
    ['1e-400', 'becomes 0'],
    ['-0.0001e-400', 'becomes 0'],
    [`0.${'0'.repeat(400)}1`, 'becomes 0'],
  ])('C20 refuses %s', (number, message) => {
    expect(refusalOf(`[[${number}]]`)).toContain(message);
    expect(refusalOf(`[[${number}]]`)).toContain('at /0/0 ');
  });

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '0',
    '0.0',
    '-0',
    '0e5',
    '0E-400',
    '0.000',
    '-0.0e+400',
    '1.5',
    '1e15',
    '5e-324',
    '0.1',
    '9007199254740990e0',
  ])('R6 takes the number %s', (number) => {
    expect(parseIJson(`{"a":[${number}]}`)).toEqual({ a: [Number(number)] });
  });

  it('C20 takes 64 levels and refuses 65, of arrays and of objects', () => {
    expect(parseIJson(nested(64))).toBeDefined();
    expect(refusalOf(nested(65))).toContain('more than 64 levels deep');
    expect(parseIJson(`${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`)).toBeDefined();
    expect(refusalOf(`${'{"a":'.repeat(64)}{}${'}'.repeat(64)}`)).toContain('levels deep');
    expect(parseIJson(`[${'[],'.repeat(100)}[]]`)).toBeDefined();
  });

  it.each([
    ['', 'is empty'],
    [' ', 'is not JSON'],
    ['\ufeff{}', 'byte order mark'],
    ['{"a":1,}', 'is not JSON'],
    ["{'a':1}", 'is not JSON'],
    ['{a:1}', 'is not JSON'],
    ['01', 'is not JSON'],
    ['+1', 'is not JSON'],
    ['NaN', 'is not JSON'],
    ['"a\nb"', 'is not JSON'],
    ['{} {}', 'is not JSON'],
    ['"\\x"', 'is not JSON'],
    ['\u00a0{}', 'is not JSON'],
  ])('R6 refuses %j', (text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it('R6 says where JSON ends, without quoting the body', () => {
    expect(refusalOf('{"secret":1,}')).toContain('line 1 column 13');
    expect(refusalOf('["secret",]')).toBe("The body is not JSON: Unexpected token ']'.");
    expect(refusalOf(`["secret","${'x'.repeat(60)}",y]`)).not.toContain('xxx');
  });

  it('C19 takes __proto__ for an ordinary member', () => {
    const value = parseIJson('{"x":1,"__proto__":{"amount":5}}');
    expect(Object.entries(value as object)).toEqual([
      ['x', 1],
      ['__proto__', { amount: 5 }],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('C20 names the place in 200 characters, however long a name is', () => {
    const twice = (name: string) => refusalOf(`{"${name}":1,"${name}":2}`);
    const shown = 'n'.repeat(199);
    expect(twice(shown)).toBe(`The body's value at /${shown} is a member that occurs twice.`);
    expect(twice('n'.repeat(100_000))).toBe(`The body's value at /${shown}… is a member that occurs twice.`);
  });
});

describe('C49 amounts', () => {
  it.each(['2e53', '9007199254740992'])('C49 %s is refused by the parser', (amount) => {
    expect(refusalOf(`{"amount":${amount}}`)).toContain('/amount');
  });

  it.each(['0', '-5', '1.5', '"500"'])('C49 %s is left to the schema, unchanged', (amount) => {
    expect(parseIJson(`{"amount":${amount}}`)).toEqual({ amount: JSON.parse(amount) });
  });
});

describe('decodeUtf8', () => {
  it('R6 decodes UTF-8 and keeps a byte order mark in sight', () => {
    expect(decodeUtf8(new TextEncoder().encode('€😀'))).toBe('€😀');
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe('\ufeff1');
    expect(decodeUtf8(new Uint8Array())).toBe('');
  });

  it.each([
    ['a stray continuation', [0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('R6 refuses %s', (_, bytes) => {
    expect(problemOf(() => decodeUtf8(Uint8Array.from(bytes)))).toMatchObject({
      code: 'invalid-body',
      message: 'The body is not valid UTF-8.',
      cause: expect.any(TypeError),
    });
  });
});
