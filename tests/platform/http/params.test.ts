import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  allOrNoneOf,
  atLeastOneOf,
  checkParams,
  exactlyOneOf,
  mutuallyExclusive,
  mutuallyExclusiveIn,
  notBlank,
  nullAsBlank,
  nullable,
  type Param,
  type ParamMap,
  param,
  type Rule,
  required,
  withDefault,
} from '../../../src/platform/http/params.ts';

function outcome(fields: ParamMap, sent: Record<string, unknown>, rules: Rule[] = []): unknown {
  try {
    return checkParams(fields, rules, sent);
  } catch (error) {
    return (error as { body: { error: string } }).body.error;
  }
}

describe('request parameters', () => {
  const invalid = 'p is invalid';
  const table: [string, Param<unknown>, unknown, unknown][] = [
    ...['true', 'True', 'TRUE', 't', 'T', '1', 'y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', true, 1].map(
      (raw): [string, Param<unknown>, unknown, unknown] => ['boolean', param.boolean(), raw, { p: true }],
    ),
    ...['false', 'False', 'FALSE', 'f', 'F', '0', 'n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', false, 0].map(
      (raw): [string, Param<unknown>, unknown, unknown] => ['boolean', param.boolean(), raw, { p: false }],
    ),
    ['boolean', param.boolean(), '', {}],
    ['boolean', param.boolean(), 'maybe', invalid],
    ['boolean', param.boolean(), 2, invalid],
    ['integer', param.integer(), '12', { p: 12 }],
    ['integer', param.integer(), 12, { p: 12 }],
    ['integer', param.integer(), '-3', { p: -3 }],
    ['integer', param.integer(), '12a', invalid],
    ['integer', param.integer(), '1.5', invalid],
    ['integer', param.integer(), 1.5, invalid],
    ['integer', param.integer(), '9'.repeat(30), invalid],
    ['integer', param.integer(), ['1'], invalid],
    ['integer', param.integer(), '', {}],
    ['integer of 32 bits', param.int32(), 2 ** 31 - 1, { p: 2 ** 31 - 1 }],
    ['integer of 32 bits', param.int32(), `${-(2 ** 31)}`, { p: -(2 ** 31) }],
    ['integer of 32 bits', param.int32(), 2 ** 31, invalid],
    ['integer of 32 bits', param.int32(), '', {}],
    ['integer or null', nullable(param.integer()), '', { p: null }],
    ['integer or null', nullable(param.integer()), null, { p: null }],
    ['string', param.string(), 'x', { p: 'x' }],
    ['string', param.string(), 7, { p: '7' }],
    ['string', param.string(), ['a', 'b'], invalid],
    ['string', param.string(), { a: 'b' }, invalid],
    ['string', param.string(), null, {}],
    ['string or nothing', nullAsBlank(param.string()), null, { p: '' }],
    ['string or nothing', nullAsBlank(param.string()), undefined, {}],
    ['required', required(param.string()), undefined, 'p is missing'],
    ['required and not blank', notBlank(required(param.string())), undefined, 'p is missing, p is empty'],
    ['required and not blank', notBlank(required(param.string())), ' ', 'p is empty'],
    ['default', withDefault(param.integer(), 5), undefined, { p: 5 }],
    ['date', param.date(), '2024-02-29', { p: '2024-02-29' }],
    ['date', param.date(), '2020-01-01T00:00:00Z', { p: '2020-01-01' }],
    ['date', param.date(), '2023-02-29', invalid],
    ['date', param.date(), '20240229', { p: '2024-02-29' }],
    ['date', param.date(), '2024-0229', invalid],
    ['date', param.date(), 'tomorrow', invalid],
    ['datetime', param.dateTime(), '2024-01-31T15:10:44.988Z', { p: Date.UTC(2024, 0, 31, 15, 10, 44, 988) }],
    ['datetime', param.dateTime(), '2024-01-31', { p: Date.UTC(2024, 0, 31) }],
    ['datetime', param.dateTime(), '2024-01-31T15:10', { p: Date.UTC(2024, 0, 31, 15, 10) }],
    ['datetime', param.dateTime(), '2024-01-31T15:10:44+02:00', { p: Date.UTC(2024, 0, 31, 13, 10, 44) }],
    ['datetime', param.dateTime(), '2024-01-31T15:10:44+0200', { p: Date.UTC(2024, 0, 31, 13, 10, 44) }],
    ['datetime', param.dateTime(), '2024-01-31T15:10:44-03', { p: Date.UTC(2024, 0, 31, 18, 10, 44) }],
    ['datetime', param.dateTime(), '2024-01-31T15', { p: Date.UTC(2024, 0, 31, 15) }],
    ['datetime', param.dateTime(), '20240131T151044Z', { p: Date.UTC(2024, 0, 31, 15, 10, 44) }],
    ['datetime', param.dateTime(), '20240131', { p: Date.UTC(2024, 0, 31) }],
    ['datetime', param.dateTime(), '2024-02-30', invalid],
    ['datetime', param.dateTime(), '2024-02-30T15:10:44Z', invalid],
    ['datetime', param.dateTime(), '2024-01-31T25:00:00Z', invalid],
    ['datetime', param.dateTime(), '2024-01-31T15:1044Z', invalid],
    ['datetime', param.dateTime(), '1706713844', invalid],
    ['datetime', param.dateTime(), 'yesterday', invalid],
    ['enumeration', param.oneOf(['a', 'b']), 'a', { p: 'a' }],
    ['enumeration', param.oneOf(['a', 'b']), 'c', 'p does not have a valid value'],
    ['comma list', param.commaList(), 'a, b,,', { p: ['a', 'b'] }],
    ['comma list', param.commaList(), ['a,b', 'c'], { p: ['a', 'b', 'c'] }],
    ['comma list', param.commaList(), '', { p: [] }],
    ['comma list', param.commaList(), { 0: 'a', 1: 'b' }, { p: ['a', 'b'] }],
    ['comma list', param.commaList(), { x: 'a' }, invalid],
    ['strings', param.strings(), ['a,b'], { p: ['a,b'] }],
    ['strings', param.strings(), 'a', invalid],
    ['integers', param.integers(), '1,2,x', { p: [1, 2, 0] }],
    ['hash', param.hash({ k: required(param.integer()) }), { k: '1' }, { p: { k: 1 } }],
    ['hash', param.hash({ k: required(param.integer()) }), {}, 'p[k] is missing'],
    ['hash', param.hash({ k: param.integer() }), 'x', invalid],
    ['hashes', param.hashes({ k: required(param.string()) }), [{ k: 'a' }, {}], 'p[1][k] is missing'],
    ['hashes', param.hashes({ k: param.string() }), { 0: { k: 'a' } }, { p: [{ k: 'a' }] }],
    ['map', param.map(), { a: 'b', c: 1 }, { p: { a: 'b', c: '1' } }],
    ['map', param.map(), 'a', invalid],
  ];
  for (const [kind, field, raw, expected] of table) {
    it(`${kind}: ${JSON.stringify(raw)} -> ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(outcome({ p: field }, raw === undefined ? {} : { p: raw }), expected));
  }

  it('reports all problems in the order of declaration', () => {
    const fields = { a: required(param.string()), b: param.integer(), c: required(param.boolean()) };
    assert.equal(outcome(fields, { c: 'x', b: 'y' }), 'a is missing, b is invalid, c is invalid');
  });

  it('ignores undeclared parameters', () => {
    assert.deepEqual(outcome({ a: param.string() }, { a: '1', z: '2' }), { a: '1' });
  });

  const both = { a: param.string(), b: param.string() };
  const rules: [Rule, Record<string, unknown>, unknown][] = [
    [atLeastOneOf('a', 'b'), {}, 'a, b are missing, at least one parameter must be provided'],
    [atLeastOneOf('a', 'b'), { b: '1' }, { b: '1' }],
    [exactlyOneOf('a', 'b'), {}, 'a, b are missing, exactly one parameter must be provided'],
    [exactlyOneOf('a', 'b'), { a: '1', b: '2' }, 'a, b are mutually exclusive'],
    [mutuallyExclusive('a', 'b'), { a: '1', b: '2' }, 'a, b are mutually exclusive'],
    [mutuallyExclusiveIn('not', 'a', 'b'), { not: { a: '1', b: '2' } }, 'not[a], not[b] are mutually exclusive'],
    [mutuallyExclusiveIn('not', 'a', 'b'), { a: '1', not: { b: '2' } }, { a: '1' }],
    [mutuallyExclusiveIn('not', 'a', 'b'), { not: 'a' }, {}],
    [allOrNoneOf('a', 'b'), { a: '1' }, 'a, b provide all or none of parameters'],
    [allOrNoneOf('a', 'b'), {}, {}],
  ];
  for (const [rule, sent, expected] of rules) {
    it(`rule over ${JSON.stringify(sent)} -> ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(outcome(both, sent, [rule]), expected));
  }
});
