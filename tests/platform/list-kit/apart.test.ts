import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, readApart } from '../../../src/platform/list-kit/apart.ts';

test('places are read apart, in parts whose number is a power of two', () => {
  const read = (places: readonly number[]) => apart(places, 'all', (one) => String(one ?? 'none'));
  const some = (count: number) => Array.from({ length: count }, (_, n) => n);
  assert.deepEqual(read([]), ['none']);
  assert.deepEqual(read([7]), ['7']);
  assert.deepEqual(read([7, 8]), ['7', '8']);
  assert.deepEqual(read([7, 8, 9]), ['7', '8', '9', 'none']);
  assert.equal(read(some(readApart)).length, readApart);
  assert.deepEqual(read(some(readApart + 1)), ['all']);
});
