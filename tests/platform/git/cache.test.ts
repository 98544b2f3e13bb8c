import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ObjectCache } from '../../../src/platform/git/cache.ts';

describe('the cache', () => {
  it('drops what was not used for longest once the budget is spent', () => {
    const cache = new ObjectCache(10_000);
    for (let i = 0; i < 10; i++) cache.set(`k${i}`, i, 800);
    assert.equal(cache.counters.bytes, 10_000);
    assert.equal(cache.get('k0'), 0);
    cache.set('new', 'n', 800);
    assert.equal(cache.get('k1'), undefined);
    assert.equal(cache.get('k0'), 0);
    assert.equal(cache.get('new'), 'n');
    assert.equal(cache.counters.evictions, 1);
    assert.ok(cache.counters.bytes <= 10_000);
  });

  it('counts a replaced value once', () => {
    const cache = new ObjectCache(10_000);
    for (let i = 0; i < 100; i++) cache.set('same', i, 500);
    assert.equal(cache.get('same'), 99);
    assert.equal(cache.counters.bytes, 700);
    cache.clear();
    assert.deepEqual([cache.get('same'), cache.counters.bytes], [undefined, 0]);
  });

  it('keeps nothing that would push most of the rest out', () => {
    const cache = new ObjectCache(10_000);
    cache.set('small', 1, 10);
    cache.set('huge', 1, 5_000);
    assert.equal(cache.get('huge'), undefined);
    assert.equal(cache.get('small'), 1);
  });
});
