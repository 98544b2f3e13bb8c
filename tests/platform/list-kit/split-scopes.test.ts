import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxSplitScopes, splitScopes } from '../../../src/platform/list-kit/split-scopes.ts';

test('a list over several places is split into a power of two scopes', () => {
  const split = (places: readonly number[]) => splitScopes(places, 'all', (one) => String(one ?? 'none'));
  const some = (count: number) => Array.from({ length: count }, (_, n) => n);
  assert.deepEqual(split([]), ['none']);
  assert.deepEqual(split([7]), ['7']);
  assert.deepEqual(split([7, 8]), ['7', '8']);
  assert.deepEqual(split([7, 8, 9]), ['7', '8', '9', 'none']);
  assert.equal(split(some(maxSplitScopes)).length, maxSplitScopes);
  assert.deepEqual(split(some(maxSplitScopes + 1)), ['all']);
});
