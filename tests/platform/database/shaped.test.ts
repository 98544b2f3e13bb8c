import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { contains } from '../../../src/platform/database/expressions.ts';
import { boundProperties, filterShapeKey } from '../../../src/platform/database/form.ts';
import { shapedQuery } from '../../../src/platform/database/shaped.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

interface Filter {
  readonly least?: number | undefined;
  readonly part?: string | undefined;
  readonly titles?: readonly string[] | undefined;
  readonly pairs?: readonly (readonly number[])[] | undefined;
  readonly only?: readonly number[] | undefined;
  readonly sort?: 'asc' | 'desc';
  readonly hidden?: boolean;
}

const filterForm = boundProperties<Filter>()({ values: ['least', 'part', 'titles', 'pairs'], lists: ['only'] });

let built = 0;
const specimens = shapedQuery(filterForm, (db, filter) => {
  built += 1;
  let query = db.selectFrom('specimens').select(['id', 'title', 'size']);
  if (filter.least) query = query.where('size', '>=', filter.least);
  if (filter.part) {
    const { part } = filter;
    query = query.where((eb) => contains(eb.ref('title'), part));
  }
  for (const title of filter.titles ?? []) query = query.where('title', '!=', title);
  for (const [from, to] of filter.pairs ?? []) query = query.where(sql<boolean>`size between ${from} and ${to}`);
  if (filter.only) query = query.where('id', 'in', filter.only);
  if (filter.hidden) query = query.where('size', '<', 0);
  return query.orderBy('size', filter.sort ?? 'asc');
});

describe('filter shapes', () => {
  const same: [string, Filter, Filter][] = [
    ['other values', { least: 1, part: 'a' }, { least: 2, part: 'b' }],
    ['other elements', { titles: ['a', 'b'] }, { titles: ['c', 'd'] }],
    ['lists of other lengths', { only: [1] }, { only: [1, 2, 3] }],
    ['undefined properties', { least: 1, part: undefined }, { least: 2 }],
  ];
  for (const [name, one, other] of same) {
    test(`are the same with ${name}`, () =>
      assert.equal(filterShapeKey(filterForm, one), filterShapeKey(filterForm, other)));
  }
  const different: [string, Filter, Filter][] = [
    ['a missing value', { least: 1 }, {}],
    ['more elements', { titles: ['a'] }, { titles: ['a', 'b'] }],
    ['nested arrays of other lengths', { pairs: [[1, 2], [3]] }, { pairs: [[1], [2, 3]] }],
    ['another unbound value', { sort: 'asc' }, { sort: 'desc' }],
    ['false and undefined', { hidden: false }, {}],
    ['false and true', { hidden: false }, { hidden: true }],
  ];
  for (const [name, one, other] of different) {
    test(`differ with ${name}`, () =>
      assert.notEqual(filterShapeKey(filterForm, one), filterShapeKey(filterForm, other)));
  }

  test('cannot be forged by an unbound text', () => {
    const loose = boundProperties<{ a?: string; b?: string }>()({});
    assert.notEqual(filterShapeKey(loose, { a: 'x', b: 'y' }), filterShapeKey(loose, { a: 'x;b="1:y' }));
    assert.notEqual(filterShapeKey(loose, { a: '1' }), filterShapeKey(loose, { a: 1 as unknown as string }));
  });
});

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
    await db.write(async (trx) => {
      for (let size = 1; size <= 9; size += 1) {
        await trx
          .insertInto('specimens')
          .values({ title: `Moss ${size % 3}%${size}`, size })
          .execute();
      }
    });
  });

  const sizes = async (filter: Filter) => (await specimens.all(db.read, filter)).map((row) => row.size);

  test('values, arrays and lists are bound at each execution', async () => {
    assert.deepEqual(await sizes({ least: 8 }), [8, 9]);
    assert.deepEqual(await sizes({ least: 9 }), [9]);
    assert.deepEqual(await sizes({ part: 'moss 0%' }), [3, 6, 9]);
    assert.deepEqual(await sizes({ part: 'S 1%', sort: 'desc' }), [7, 4, 1]);
    assert.deepEqual(await sizes({ least: 8, titles: ['Moss 2%8', "it's"] }), [9]);
    const pairs = [
      [2, 5],
      [4, 9],
    ];
    assert.deepEqual(await sizes({ pairs }), [4, 5]);
    assert.deepEqual(await sizes({ only: [2, 4, 99] }), [2, 4]);
    assert.deepEqual(await sizes({ only: [] }), []);
    assert.equal((await specimens.first(db.read, { least: 5 }))?.size, 5);
    assert.equal(await specimens.first(db.read, { least: 50 }), undefined);
  });

  test('queries are built once for each shape', async () => {
    await sizes({ least: 1, part: 'a' });
    const before = built;
    for (const part of ['x', 'y', '']) await sizes({ least: 2, part });
    assert.equal(built, before);
    await sizes({ least: 1, part: 'a', sort: 'desc' });
    assert.equal(built, before + 1);
  });

  test('more shapes than the statement cache holds', async () => {
    const many = shapedQuery(boundProperties<{ n: number }>()({}), (k, { n }) =>
      k.selectFrom('specimens').select(sql<number>`${n} + 0`.as('n')).limit(1),
    );
    for (let n = 0; n < 450; n += 1) assert.equal((await many.first(db.read, { n }))?.n, n);
    assert.equal((await many.first(db.read, { n: 0 }))?.n, 0);
  });

  test('rejects a timestamp that would be frozen at the first execution', async () => {
    const frozen = shapedQuery(boundProperties<object>()({}), (k) =>
      k.selectFrom('specimens').select('id').where('size', '>', Date.now()),
    );
    await assert.rejects(frozen.all(db.read, {}), /is a timestamp/);
  });

  test('queries run in the given transaction', async () => {
    await db.write(async (trx) => {
      await trx.insertInto('specimens').values({ title: 'inside', size: 100 }).execute();
      assert.equal((await specimens.first(trx, { least: 100 }))?.title, 'inside');
      await trx.deleteFrom('specimens').where('size', '=', 100).execute();
    });
  });

  // A bound limit, or a bound value that a partial index depends on, makes SQLite re-plan at each execution.
  test('cached queries do not make the engine re-plan', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    await specimens.all(db.read, { hidden: true });
    await db.read.selectFrom('specimens').select('id').limit(3).execute();
    stop();
    assert.match(seen[0] ?? '', /"size" < 0 /);
    if (engine === 'sqlite') assert.match(seen[1] ?? '', /limit \+\?/);
  });
});
