import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../src/platform/database/database.ts';
import { rowKey } from '../../../src/platform/database/row-cache.ts';
import { type Param, statement } from '../../../src/platform/database/statement.ts';
import { atEnd } from '../../support/at-end.ts';
import { forEachEngine, openTestDatabase, type TestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

const sizeOf = statement(
  (db, param: Param<{ title: string }>) =>
    db.selectFrom('specimens').select('size').where('title', '=', param('title')),
  { cached: true },
);

async function setSize(db: Database, title: string, size: number): Promise<void> {
  await db.write((trx) => trx.updateTable('specimens').set({ size }).where('title', '=', title).execute());
}

forEachEngine((engine) => {
  let db: TestDatabase;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
    await db.write((trx) => trx.insertInto('specimens').values({ title: 'fern', size: 1 }).execute());
  });

  test('cached rows reflect the last commit of this process, even in the same turn', async () => {
    for (let size = 2; size < 6; size += 1) {
      await setSize(db, 'fern', size);
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size });
      assert.deepEqual(await sizeOf.all(db.read, { title: 'fern' }), [{ size }]);
    }
  });

  test('a missing row is found once it is inserted', async () => {
    assert.equal(await sizeOf.first(db.read, { title: 'moss' }), undefined);
    await db.write((trx) => trx.insertInto('specimens').values({ title: 'moss', size: 1 }).execute());
    assert.deepEqual(await sizeOf.first(db.read, { title: 'moss' }), { size: 1 });
  });

  test('cached rows reflect commits of other processes before this turn', async () => {
    const other = await openDatabase(db.options);
    atEnd(() => other.close());
    for (let size = 10; size < 14; size += 1) {
      await sizeOf.first(db.read, { title: 'fern' });
      await setSize(other, 'fern', size);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size });
    }
  });

  test('a transaction sees its own writes, and a rolled-back one is never visible', async () => {
    await setSize(db, 'fern', 20);
    const failed = db.write(async (trx) => {
      await sizeOf.first(trx, { title: 'fern' });
      await trx.updateTable('specimens').set({ size: 21 }).where('title', '=', 'fern').execute();
      assert.deepEqual(await sizeOf.first(trx, { title: 'fern' }), { size: 21 });
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size: 20 });
      throw new Error('rolled back');
    });
    await assert.rejects(failed, /rolled back/);
    assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size: 20 });
  });

  test('listeners receive a statement each time, even if it is cached', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((sql) => seen.push(sql));
    await sizeOf.first(db.read, { title: 'fern' });
    await sizeOf.first(db.read, { title: 'fern' });
    stop();
    assert.equal(seen.length, 2);
  });
});

test('cached rows are frozen', async () => {
  const db = await openTestDatabase('sqlite', migrations);
  await db.write((trx) => trx.insertInto('specimens').values({ title: 'fern', size: 1 }).execute());
  const row = await sizeOf.first(db.read, { title: 'fern' });
  assert.throws(() => Object.assign(row ?? {}, { size: 2 }), TypeError);
  const rows = await sizeOf.all(db.read, { title: 'fern' });
  assert.throws(() => rows.pop(), TypeError);
});

const pair = statement(
  (db, param: Param<{ title: string; shelf: string }>) =>
    db
      .selectFrom('specimens')
      .select('size')
      .where('title', '=', param('title'))
      .where(sql`${param('shelf')}`, '=', sql`'b'`),
  { cached: true },
);

test('different parameters never share cached rows', async () => {
  const keys = [
    [1],
    ['1'],
    [1, 1],
    ['1', 1],
    [1, '1'],
    ['a\0b', 'c'],
    ['a', 'b\0c'],
    ['a","b', 'c'],
    ['a', 'b","c'],
    [null],
    ['null'],
    [null, 1],
    ['[1,1]'],
    [Buffer.from('1')],
  ].map(rowKey);
  assert.equal(new Set(keys).size, keys.length);
  const db = await openTestDatabase('sqlite', migrations);
  await db.write((trx) => trx.insertInto('specimens').values({ title: 'a', size: 1 }).execute());
  assert.equal(await pair.first(db.read, { title: 'a\0b', shelf: 'b' }), undefined);
  assert.equal(await pair.first(db.read, { title: 'a', shelf: 'b\0b' }), undefined);
  assert.deepEqual(await pair.first(db.read, { title: 'a', shelf: 'b' }), { size: 1 });
});
