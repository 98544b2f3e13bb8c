import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Database } from '../../../src/platform/database/database.ts';
import { fetchPage } from '../../../src/platform/list-kit/fetch-page.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from '../database/specimens.ts';

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
    const rows = Array.from({ length: 9 }, (_, at) => ({ title: `Moss ${at + 1}`, size: at + 1 }));
    await db.write((trx) => trx.insertInto('specimens').values(rows).execute());
  });

  test('a page counts its list only if it does not imply the total itself', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    const page = async (offset: number, perPage: number) => {
      const query = db.read.selectFrom('specimens').select('size').where('size', '>=', 3).orderBy('size');
      const { rows, total } = await fetchPage(db.read, query, { offset, perPage });
      return [rows.map((row) => row.size), total, seen.splice(0).length];
    };
    assert.deepEqual(await page(0, 3), [[3, 4, 5], 7, 2]);
    assert.deepEqual(await page(6, 3), [[9], 7, 1]);
    assert.deepEqual(await page(20, 3), [[], 7, 2]);
    stop();
  });
});
