import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { contains, sameIgnoringCase, smallerOf } from '../../../src/platform/database/expressions.ts';
import { escapeLike } from '../../../src/platform/database/letter-case.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

test('escapeLike escapes every special character', () => {
  assert.equal(escapeLike('100%_\\done'), '100\\%\\_\\\\done');
});

/** Search texts and the titles they match. */
const folded: readonly (readonly [string, readonly string[]])[] = [
  ['ÉCOLE', ['Grande École']],
  ['e éco', ['Grande École']],
  ['ecole', []],
  ['привет, МИР', ['ПРИВЕТ, мир']],
  ['οδοσ', ['ΟΔΟΣ οδος']],
  ['ΟΣ ΟΔΟΣ', ['ΟΔΟΣ οδος']],
  ['STRASSE', []],
  ['STRAßE', ['Straße']],
  ['B*C?[D]é', ['a.b*c?[d]É']],
  ['axb*c?[d]é', []],
  ['a.*é', []],
  ['ILIK', []],
  ['ılı', ['ılık']],
  ['ⓐ𐐨', ['Ⓐ𐐀']],
];

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
    await db.write(async (trx) => {
      for (const [title, size] of [
        ['100% Moss', 3],
        ['1000 Mosses', 7],
        ['snake_case', 9],
        ['snakeXcase', 1],
        ['back\\slash', 2],
      ] as const) {
        await trx.insertInto('specimens').values({ title, size }).execute();
      }
    });
  });

  test('counts, sums and ids are numbers', async () => {
    const query = db.read
      .selectFrom('specimens')
      .select((eb) => [
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number>('size').as('sum'),
        eb.fn.max('id').as('id'),
      ]);
    assert.deepEqual(await query.executeTakeFirstOrThrow(), { count: 5, sum: 22, id: 5 });
  });

  test('instants keep milliseconds, binary data and nulls are preserved', async () => {
    const now = Date.UTC(2031, 1, 2, 3, 4, 5, 678);
    const picture = new Uint8Array([0, 255, 7]);
    const insert = (trx: Database['read']) =>
      trx
        .insertInto('specimens')
        .values({ title: 'types', size: now, picture })
        .returningAll()
        .executeTakeFirstOrThrow();
    const row = await db.write(async (trx) => {
      const inserted = await insert(trx);
      await trx.deleteFrom('specimens').where('id', '=', inserted.id).execute();
      return inserted;
    });
    assert.equal(row.size, now);
    assert.equal(row.shelf_id, null);
    assert.deepEqual([...(row.picture ?? [])], [0, 255, 7]);
  });

  test('updates and deletes return the number of affected rows', async () => {
    await db.write(async (trx) => {
      const update = trx.updateTable('specimens').set({ shelf_id: null }).where('size', '<', 4);
      assert.equal((await update.executeTakeFirst()).numUpdatedRows, 3n);
      const gone = trx.deleteFrom('specimens').where('size', '>', 100);
      assert.equal((await gone.executeTakeFirst()).numDeletedRows, 0n);
    });
  });

  for (const [what, value] of [
    ['undefined', undefined],
    ['true', true],
    ['a Date', new Date()],
    ['a Object', {}],
    ['NaN', Number.NaN],
  ] as const) {
    test(`${what} is rejected as a parameter`, async () => {
      const query = sql`select 1 as one where 1 = ${value}`;
      await assert.rejects(query.execute(db.read), {
        name: 'TypeError',
        message: new RegExp(`parameter 1 is ${what}`),
      });
    });
  }

  test('contains ignores case and takes the needle literally', async () => {
    const found = async (needle: string) => {
      const rows = db.read
        .selectFrom('specimens')
        .select('title')
        .where((eb) => contains(eb.ref('title'), needle));
      return (await rows.orderBy('title').execute()).map((row) => row.title);
    };
    assert.deepEqual(await found('0% m'), ['100% Moss']);
    assert.deepEqual(await found('E_C'), ['snake_case']);
    assert.deepEqual(await found('k\\S'), ['back\\slash']);
    assert.deepEqual(await found('mosS'), ['100% Moss', '1000 Mosses']);
    const same = db.read
      .selectFrom('specimens')
      .select('size')
      .where((eb) => sameIgnoringCase(eb.ref('title'), '100% MOSS'));
    assert.deepEqual(await same.execute(), [{ size: 3 }]);
  });

  test('contains ignores the case of letters in any alphabet', async () => {
    const titles = ['Grande École', 'ПРИВЕТ, мир', 'ΟΔΟΣ οδος', 'Straße', 'a.b*c?[d]É', 'ılık', 'Ⓐ𐐀'];
    const found = await db.write(async (trx) => {
      await trx
        .insertInto('specimens')
        .values(titles.map((title) => ({ title, size: 1000 })))
        .execute();
      const holding = async (needle: string) => {
        const rows = trx.selectFrom('specimens').select('title').where('size', '=', 1000);
        return (await rows.where((eb) => contains(eb.ref('title'), needle)).execute()).map((row) => row.title);
      };
      const all: Record<string, string[]> = {};
      for (const [needle] of folded) all[needle] = await holding(needle);
      await trx.deleteFrom('specimens').where('size', '=', 1000).execute();
      return all;
    });
    assert.deepEqual(found, Object.fromEntries(folded));
  });

  test('least returns the smaller of two values', async () => {
    const row = await db.read
      .selectFrom('specimens')
      .select((eb) => smallerOf(eb.ref('id'), eb.ref('size')).as('low'))
      .where('size', '=', 9)
      .executeTakeFirst();
    assert.deepEqual(row, { low: 3 });
  });

  test('listeners receive each statement until they are removed', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((statement) => seen.push(statement));
    await db.read.selectFrom('specimens').select('id').limit(1).execute();
    await db.write((trx) => trx.selectFrom('specimens').select('id').limit(1).execute());
    stop();
    await db.read.selectFrom('specimens').select('id').limit(1).execute();
    assert.equal(seen.length, 2);
  });

  test('more queries than the statement cache holds', async () => {
    for (let n = 0; n < 1200; n++) {
      const { rows } = await sql<{ n: number }>`select ${sql.raw(String(n))} as n`.execute(db.read);
      assert.deepEqual(rows, [{ n }]);
    }
  });

  test('responds to ping until it is closed', async () => {
    const own = await openTestDatabase(engine, migrations);
    await own.ping();
    await own.close();
    await own.close();
    await assert.rejects(own.ping());
    await assert.rejects(own.write(async () => undefined));
  });
});
