import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpError } from '../../../../src/platform/http/errors.ts';
import {
  checkJsonShape,
  JsonOutline,
  parseNested,
  splitKey,
} from '../../../../src/platform/http/parameters/nested-params.ts';
import fc from '../../../support/properties.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('nested parameters', () => {
  const table: [string, unknown][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a', { a: null }],
    ['a=', { a: '' }],
    ['a=1&a=2', { a: '2' }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a%5B%5D=1', { a: ['1'] }],
    ['a[k]=v&a[l]=w', { a: { k: 'v', l: 'w' } }],
    ['a[k][m]=v', { a: { k: { m: 'v' } } }],
    ['a[][k]=1&a[][l]=2&a[][k]=3', { a: [{ k: '1', l: '2' }, { k: '3' }] }],
    ['a[0][k]=1&a[1][k]=2', { a: { 0: { k: '1' }, 1: { k: '2' } } }],
    ['a[][b][]=1&a[][b][]=2', { a: [{ b: ['1', '2'] }] }],
    ['a=1+2%2B3', { a: '1 2+3' }],
    ['a[b=1', { 'a[b': '1' }],
    ['[]=1', { '[]': '1' }],
    ['&&a=1&', { a: '1' }],
    ['n=%C3%A9', { n: 'é' }],
    ['__proto__=1&constructor[x]=2', JSON.parse('{"__proto__":"1","constructor":{"x":"2"}}')],
  ];
  for (const [query, expected] of table) {
    it(`parses ${query || 'an empty query'}`, () => assert.deepEqual(plain(parseNested(query)), expected));
  }

  it('does not pollute object prototypes', () => {
    parseNested('__proto__[polluted]=1&a[__proto__][polluted]=1&constructor[prototype][polluted]=1');
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  for (const query of ['a=%ff', 'a=%', '%zz=1', 'a=%00', '%00=a']) {
    it(`rejects ${query}`, () => assert.throws(() => parseNested(query), { status: 400 }));
  }

  it('rejects excessive nesting', () => {
    assert.throws(() => splitKey(`a${'[b]'.repeat(40)}`), { message: /nested too deeply/ });
  });

  it('throws only HTTP errors', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        try {
          parseNested(query);
        } catch (error) {
          assert.ok(error instanceof HttpError);
        }
      }),
    );
  });

  it('limits the number of lists and hashes', () => {
    const deep = `a[]${Array.from({ length: 28 }, (_, n) => `[${n}]`).join('')}=1`;
    const few = parseNested(Array.from({ length: 50 }, () => deep).join('&'));
    assert.equal((few.a as unknown[]).length, 50);
    const many = Array.from({ length: 5000 }, () => deep).join('&');
    assert.throws(() => parseNested(many), { message: /Too many total parameters/ });
    assert.throws(() => parseNested('&'.repeat(200_000)), { message: /Too many total parameters/ });
  });

  it('rejects excessive JSON before parsing', () => {
    const outline = (...pieces: string[]) => {
      const json = new JsonOutline();
      for (const piece of pieces) json.take(Buffer.from(piece));
    };
    const nested = { message: /nested too deeply/ };
    assert.throws(() => outline('['.repeat(40)), nested);
    assert.throws(() => outline('{"a":'.repeat(20), '['.repeat(20)), nested);
    assert.throws(() => outline(`[${'1,'.repeat(250_000)}1]`), { message: /Too many total/ });
    assert.throws(() => outline(`[${'[],'.repeat(150_000)}1]`), { message: /Too many total/ });
    // Brackets inside strings do not count, wherever the text is split.
    outline('[[['.repeat(10), ']]]'.repeat(10), '[[['.repeat(10));
    const text = JSON.stringify({ a: '[["\\"'.repeat(100), b: `\\${','.repeat(300_000)}` });
    for (const cut of [1, 7, 8, 9, 10, 11, 12, 13, 50]) outline(text.slice(0, cut), text.slice(cut));
    assert.throws(() => outline('"a\\', '\\"', '['.repeat(40)), nested);
    // This would take minutes if each escape were searched for separately.
    assert.throws(() => outline(`"${'\\u00e9'.repeat(1_000_000)}${'\\"'.repeat(1_000_000)}"${'['.repeat(40)}`), nested);
  });

  it('rejects JSON that is too deep, too wide or contains NUL', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 40; level += 1) deep = [deep];
    assert.throws(() => checkJsonShape(deep), { message: /nested too deeply/ });
    assert.throws(() => checkJsonShape({ a: new Array(50_001).fill(1) }), { message: /Array parameter too large/ });
    assert.throws(() => checkJsonShape({ a: 'x\0y' }), { status: 400 });
    checkJsonShape({ a: [1, { b: 'c' }] });
  });
});
