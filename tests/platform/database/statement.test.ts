import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Database } from '../../../src/platform/database/database.ts';
import { type Param, statement } from '../../../src/platform/database/statement.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

const add = statement((db, param: Param<{ title: string; size: number }>) =>
  db
    .insertInto('specimens')
    .values({ title: param('title'), size: param('size') })
    .returning('id'),
);

const between = statement((db, param: Param<{ low: number; high: number; limit: number }>) =>
  db
    .selectFrom('specimens')
    .select(['title', 'size'])
    .where('size', '>=', param('low'))
    .where('size', '<=', param('high'))
    .where('title', '!=', 'a constant')
    .where('size', '>=', param('low'))
    .orderBy('size')
    .limit(param('limit')),
);

const byTitle = statement((db, param: Param<{ title: string }>) =>
  db.selectFrom('specimens').select(['id', 'title', 'shelf_id']).where('title', '=', param('title')),
);

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('specimens').select('title').where('id', 'in', param.ids('ids')).orderBy('title'),
);

const byTitles = statement((db, param: Param<{ titles: readonly string[] }>) =>
  db.selectFrom('specimens').select('title').where('title', 'in', param.texts('titles')).orderBy('title'),
);

const grow = statement((db, param: Param<{ by: number; low: number }>) =>
  db
    .updateTable('specimens')
    .set((eb) => ({ size: eb('size', '+', param('by')) }))
    .where('size', '>=', param('low')),
);

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
  });

  test('binds parameters by name, in any order and repeatedly', async () => {
    await db.write(async (trx) => {
      for (const size of [10, 11, 12, 13]) await add.all(trx, { title: `bound-${size}`, size });
    });
    assert.deepEqual(await between.all(db.read, { low: 11, high: 13, limit: 2 }), [
      { title: 'bound-11', size: 11 },
      { title: 'bound-12', size: 12 },
    ]);
    assert.deepEqual(await between.first(db.read, { low: 13, high: 20, limit: 9 }), { title: 'bound-13', size: 13 });
    assert.equal(await between.first(db.read, { low: 14, high: 20, limit: 9 }), undefined);
  });

  test('runs only in the given transaction', async () => {
    await db.write(async (trx) => {
      const added = await add.first(trx, { title: 'inside', size: 1 });
      assert.equal((await byTitle.first(trx, { title: 'inside' }))?.id, added?.id);
      assert.equal(await byTitle.first(db.read, { title: 'inside' }), undefined);
    });
    assert.deepEqual(Object.keys((await byTitle.first(db.read, { title: 'inside' })) ?? {}), [
      'id',
      'title',
      'shelf_id',
    ]);
  });

  test('a rolled-back statement has no effect', async () => {
    const write = db.write(async (trx) => {
      await add.first(trx, { title: 'undone', size: 1 });
      throw new Error('no');
    });
    await assert.rejects(write, /no/);
    assert.equal(await byTitle.first(db.read, { title: 'undone' }), undefined);
  });

  test('cannot write through the reader or run in a finished transaction', async () => {
    await assert.rejects(add.all(db.read, { title: 'smuggled', size: 1 }), /readonly|read-only/);
    const trx = await db.write(async (own) => own);
    await assert.rejects(add.all(trx, { title: 'late', size: 1 }), /transaction is over/);
  });

  test('accepts lists of any length', async () => {
    const names = ['plain', 'with "quotes"', 'back\\slash', 'comma, and {braces}', 'null', ''];
    const ids = await db.write((trx) => Promise.all(names.map((title) => add.first(trx, { title, size: 0 }))));
    const found = await byTitles.all(db.read, { titles: [...names, 'absent'] });
    assert.deepEqual(new Set(found.map((row) => row.title)), new Set(names));
    const two = ids.slice(0, 2).map((row) => row?.id ?? 0);
    assert.deepEqual(await byIds.all(db.read, { ids: two }), [{ title: 'plain' }, { title: 'with "quotes"' }]);
    assert.deepEqual(await byIds.all(db.read, { ids: [] }), []);
    const many = Array.from({ length: 40_000 }, (_, index) => -index);
    assert.deepEqual(await byIds.all(db.read, { ids: many }), []);
  });

  test('returns the number of changed rows', async () => {
    await db.write(async (trx) => {
      for (const size of [500, 501]) await add.all(trx, { title: `grow-${size}`, size });
      assert.equal(await grow.run(trx, { by: 1000, low: 500 }), 2);
      assert.equal(await grow.run(trx, { by: 1, low: 5000 }), 0);
    });
  });

  test('rejects a missing parameter', async () => {
    const incomplete: { title: string } = JSON.parse('{}');
    await assert.rejects(byTitle.first(db.read, incomplete), /parameter 1 is undefined/);
  });

  test('keeps working after a migration changes its columns', async () => {
    const own = await openTestDatabase(engine, migrations);
    const everything = statement((k, param: Param<{ title: string }>) =>
      k.selectFrom('specimens').selectAll().where('title', '=', param('title')),
    );
    await own.write((trx) => add.all(trx, { title: 'kept', size: 1 }));
    await everything.first(own.read, { title: 'kept' });
    await own.write((trx) => everything.first(trx, { title: 'kept' }));
    await own.write((trx) => trx.schema.alterTable('specimens').addColumn('colour', 'text').execute());
    assert.ok(Object.hasOwn((await everything.first(own.read, { title: 'kept' })) ?? {}, 'colour'));
    const inside = await own.write((trx) => everything.first(trx, { title: 'kept' }));
    assert.ok(Object.hasOwn(inside ?? {}, 'colour'));
  });

  test('notifies listeners', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((sql) => seen.push(sql));
    await byTitle.first(db.read, { title: 'x' });
    await db.write((trx) => byTitle.first(trx, { title: 'x' }));
    stop();
    await byTitle.first(db.read, { title: 'x' });
    assert.equal(seen.length, 2);
    assert.match(seen[0] ?? '', /^select .* from "specimens"/);
  });
});
