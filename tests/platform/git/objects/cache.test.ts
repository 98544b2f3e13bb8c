import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ObjectCache } from '../../../../src/platform/git/objects/cache.ts';

describe('the cache', () => {
  it('drops what was not used for longest once the budget is spent', () => {
    const cache = new ObjectCache(10_000);
    const shelf = cache.shelf<unknown>('one');
    for (let i = 0; i < 10; i++) shelf.set(`k${i}`, i, 800);
    assert.equal(cache.counters.bytes, 10_000);
    assert.equal(shelf.get('k0'), 0);
    shelf.set('new', 'n', 800);
    assert.equal(shelf.get('k1'), undefined);
    assert.equal(shelf.get('k0'), 0);
    assert.equal(shelf.get('new'), 'n');
    assert.equal(cache.counters.evictions, 1);
    assert.ok(cache.counters.bytes <= 10_000);
  });

  it('counts a replaced value once', () => {
    const cache = new ObjectCache(10_000);
    const shelf = cache.shelf<unknown>('one');
    for (let i = 0; i < 100; i++) shelf.set('same', i, 500);
    assert.equal(shelf.get('same'), 99);
    assert.equal(cache.counters.bytes, 700);
    cache.clear();
    assert.deepEqual([shelf.get('same'), cache.counters.bytes], [undefined, 0]);
  });

  it('keeps the same keys of different shelves apart, and forgets a shelf that is empty', () => {
    const cache = new ObjectCache(2_000);
    const [one, two] = [cache.shelf<number>('one'), cache.shelf<number>('two')];
    one.set('k', 1, 10);
    two.set('k', 2, 10);
    assert.deepEqual([one.get('k'), two.get('k'), cache.shelf('two').get('k')], [1, 2, 2]);
    for (let i = 0; i < 20; i++) two.set(`k${i}`, i, 10);
    assert.equal(one.get('k'), undefined);
    one.set('k', 3, 10);
    assert.deepEqual([one.get('k'), two.get('k19')], [3, 19]);
    cache.forget('tw');
    assert.deepEqual([one.get('k'), two.get('k19'), cache.counters.bytes], [3, undefined, 210]);
  });

  it('keeps nothing that would push most of the rest out', () => {
    const cache = new ObjectCache(10_000);
    const shelf = cache.shelf<unknown>('one');
    shelf.set('small', 1, 10);
    shelf.set('huge', 1, 5_000);
    assert.equal(shelf.get('huge'), undefined);
    assert.equal(shelf.get('small'), 1);
  });
});
