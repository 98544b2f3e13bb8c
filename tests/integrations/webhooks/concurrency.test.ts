import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliverySlots, receiverOf } from '../../../src/integrations/webhooks/deliveries/concurrency.ts';

describe('delivery concurrency limits', () => {
  it('allow two deliveries per owner', () => {
    const turns = new DeliverySlots();
    const first = turns.take('1', 'a');
    assert.ok(first && turns.take('1', 'b'));
    assert.equal(turns.take('1', 'c'), undefined);
    assert.ok(turns.take('2', 'a'));
    first();
    assert.ok(turns.take('1', 'c'));
    assert.equal(turns.take('1', 'c'), undefined);
  });

  it('allow two deliveries to slow receivers in total, without blocking others', () => {
    const turns = new DeliverySlots();
    turns.note('slow.example', 10_000);
    const taken = ['1', '2', '3', '4'].map((owner) => turns.take(owner, 'slow.example') !== undefined);
    assert.deepEqual(taken, [true, true, false, false]);
    for (const owner of ['1', '2', '3', '4']) {
      assert.ok(turns.take(owner, 'quick.example'));
      assert.ok(turns.take(owner, 'quick.example'));
    }
  });

  it('are lifted once a receiver responds in time again', () => {
    const turns = new DeliverySlots();
    turns.note('a', 10_000);
    turns.note('b', 10_000);
    assert.ok(turns.take('1', 'a') && turns.take('1', 'b'));
    turns.note('a', 20);
    assert.ok(turns.take('1', 'a'));
    assert.equal(turns.take('1', 'b'), undefined);
  });

  it('identify a receiver by host and port', () => {
    assert.equal(receiverOf('https://hooks.example:8443/a/{secret}?b'), 'hooks.example:8443');
    assert.equal(receiverOf('https://hooks.example'), 'hooks.example');
  });
});
