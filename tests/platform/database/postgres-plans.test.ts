import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectionLifetime, PostgresPlans } from '../../../src/platform/database/postgres-plans.ts';

describe('prepared list statements on PostgreSQL', () => {
  const fourUses = (plans: PostgresPlans, text: string, now = 0) =>
    [1, 2, 3, 4].map(() => plans.nameOf(text, now)).map((name) => name !== undefined);

  it('are those that are repeated', () => {
    const plans = new PostgresPlans();
    assert.deepEqual(fourUses(plans, 'select 1'), [false, false, true, true]);
    assert.notEqual(plans.nameOf('select 1', 0), undefined);
    assert.equal(plans.nameOf('select 2', 0), undefined);
  });

  it('have a valid name that depends only on their text', () => {
    const [one, other] = [new PostgresPlans(), new PostgresPlans()];
    for (const plans of [one, other]) fourUses(plans, 'select 1');
    assert.equal(one.nameOf('select 1', 0), other.nameOf('select 1', 0));
    assert.match(one.nameOf('select 1', 0) ?? '', /^hearth_[0-9a-f]{32}$/);
  });

  it('are limited in total length until their connections expire', () => {
    const plans = new PostgresPlans();
    const texts = Array.from({ length: 100 }, (_, index) => `select ${index} ${' '.repeat(10_000)}`);
    const named = texts.filter((text) => fourUses(plans, text).includes(true));
    assert.equal(named.length, 19);
    const later = connectionLifetime * 1000 + 1;
    assert.deepEqual(fourUses(plans, texts[99] ?? '', later), [true, true, true, true]);
  });
});
