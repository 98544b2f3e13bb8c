import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantText } from '../../../../src/platform/http/responses/instants.ts';
import fc from '../../../support/properties.ts';

const asDate = (ms: number) => new Date(ms).toISOString();

test('formats every instant like Date', () => {
  const edges = [0, 1, 999, 1000, 59_999, 86_399_999, 86_400_000, Date.UTC(2024, 1, 29, 23, 59, 59, 999)];
  for (const ms of [...edges, -1, Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(10_000), 8.64e15, 1.5]) {
    assert.equal(instantText(ms), asDate(ms));
  }
  fc.assert(fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => instantText(ms) === asDate(ms)));
  fc.assert(fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => instantText(ms) === asDate(ms)));
});

test('throws for invalid instants like Date', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8.65e15]) assert.throws(() => instantText(ms), RangeError);
});
