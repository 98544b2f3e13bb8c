import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Database, openDatabase } from '../../../src/platform/database/database.ts';
import { type Param, statement } from '../../../src/platform/database/statement.ts';
import { atEnd, forEachEngine, openTestDatabase, type TestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

const sizeOf = statement(
  (db, param: Param<{ title: string }>) =>
    db.selectFrom('specimens').select('size').where('title', '=', param('title')),
  { remembered: true },
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

  test('remembered rows are as new as the last commit of this process, even in the same turn', async () => {
    for (let size = 2; size < 6; size += 1) {
      await setSize(db, 'fern', size);
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size });
      assert.deepEqual(await sizeOf.all(db.read, { title: 'fern' }), [{ size }]);
    }
  });

  test('a row that was not there is seen once it is', async () => {
    assert.equal(await sizeOf.first(db.read, { title: 'moss' }), undefined);
    await db.write((trx) => trx.insertInto('specimens').values({ title: 'moss', size: 1 }).execute());
    assert.deepEqual(await sizeOf.first(db.read, { title: 'moss' }), { size: 1 });
  });

  test('remembered rows are as new as what another process committed before this turn', async () => {
    const other = await openDatabase(db.options);
    atEnd(() => other.close());
    for (let size = 10; size < 14; size += 1) {
      await sizeOf.first(db.read, { title: 'fern' });
      await setSize(other, 'fern', size);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size });
    }
  });

  test('a transaction sees its own writes, and what it takes back was never seen', async () => {
    await setSize(db, 'fern', 20);
    const failed = db.write(async (trx) => {
      await sizeOf.first(trx, { title: 'fern' });
      await trx.updateTable('specimens').set({ size: 21 }).where('title', '=', 'fern').execute();
      assert.deepEqual(await sizeOf.first(trx, { title: 'fern' }), { size: 21 });
      assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size: 20 });
      throw new Error('taken back');
    });
    await assert.rejects(failed, /taken back/);
    assert.deepEqual(await sizeOf.first(db.read, { title: 'fern' }), { size: 20 });
  });

  test('a statement is told of each time it is asked', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((sql) => seen.push(sql));
    await sizeOf.first(db.read, { title: 'fern' });
    await sizeOf.first(db.read, { title: 'fern' });
    stop();
    assert.equal(seen.length, 2);
  });
});

test('rows that are shared cannot be changed', async () => {
  const db = await openTestDatabase('sqlite', migrations);
  await db.write((trx) => trx.insertInto('specimens').values({ title: 'fern', size: 1 }).execute());
  const row = await sizeOf.first(db.read, { title: 'fern' });
  assert.throws(() => Object.assign(row ?? {}, { size: 2 }), TypeError);
  const rows = await sizeOf.all(db.read, { title: 'fern' });
  assert.throws(() => rows.pop(), TypeError);
});
