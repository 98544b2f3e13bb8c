import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ObjectCache } from '../../../../src/platform/git/objects/cache.ts';

describe('object cache', () => {
  it('evicts the least recently used entries beyond the budget', () => {
    const cache = new ObjectCache(10_000);
    const namespace = cache.namespace<unknown>('one');
    for (let i = 0; i < 10; i++) namespace.set(`k${i}`, i, 800);
    assert.equal(cache.counters.bytes, 10_000);
    assert.equal(namespace.get('k0'), 0);
    namespace.set('new', 'n', 800);
    assert.equal(namespace.get('k1'), undefined);
    assert.equal(namespace.get('k0'), 0);
    assert.equal(namespace.get('new'), 'n');
    assert.equal(cache.counters.evictions, 1);
    assert.ok(cache.counters.bytes <= 10_000);
  });

  it('counts a replaced value once', () => {
    const cache = new ObjectCache(10_000);
    const namespace = cache.namespace<unknown>('one');
    for (let i = 0; i < 100; i++) namespace.set('same', i, 500);
    assert.equal(namespace.get('same'), 99);
    assert.equal(cache.counters.bytes, 700);
    cache.clear();
    assert.deepEqual([namespace.get('same'), cache.counters.bytes], [undefined, 0]);
  });

  it('separates equal keys by namespace, and drops empty namespaces', () => {
    const cache = new ObjectCache(2_000);
    const [one, two] = [cache.namespace<number>('one'), cache.namespace<number>('two')];
    one.set('k', 1, 10);
    two.set('k', 2, 10);
    assert.deepEqual([one.get('k'), two.get('k'), cache.namespace('two').get('k')], [1, 2, 2]);
    for (let i = 0; i < 20; i++) two.set(`k${i}`, i, 10);
    assert.equal(one.get('k'), undefined);
    one.set('k', 3, 10);
    assert.deepEqual([one.get('k'), two.get('k19')], [3, 19]);
    cache.forget('tw');
    assert.deepEqual([one.get('k'), two.get('k19'), cache.counters.bytes], [3, undefined, 210]);
  });

  it('does not store a value that would evict most others', () => {
    const cache = new ObjectCache(10_000);
    const namespace = cache.namespace<unknown>('one');
    namespace.set('small', 1, 10);
    namespace.set('huge', 1, 5_000);
    assert.equal(namespace.get('huge'), undefined);
    assert.equal(namespace.get('small'), 1);
  });
});
