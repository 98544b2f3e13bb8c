import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../src/platform/database/form.ts';
import type { Tables } from '../../../src/platform/database/tables.ts';
import { param } from '../../../src/platform/http/params.ts';
import { driving } from '../../../src/platform/list-kit/filter.ts';
import { compare, equals } from '../../../src/platform/list-kit/filters.ts';
import { list } from '../../../src/platform/list-kit/list.ts';
import { isBeyondWalk } from '../../../src/platform/list-kit/list-plan.ts';
import { byColumn, byId } from '../../../src/platform/list-kit/order.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from '../database/specimens.ts';

const inRange = boundProperties<{ least: number }>()({ values: ['least'] });
const declared = {
  id: 'specimens.id',
  scope: inRange,
  lateRows: true,
  filters: {
    shelf_id: driving(equals('specimens.shelf_id', param.integer()), { scoped: true }),
    smaller_than: driving(compare('specimens.size', '<', param.integer()), { scoped: true }),
  },
  orders: { id: byId, size: byColumn('specimens.size', 'integer') },
} as const;
const select = (db: Kysely<Tables>, bound: BoundFilterOf<typeof inRange>) =>
  db.selectFrom('specimens').selectAll('specimens').where('size', '>=', bound.least);
const specimens = list({ ...declared, select });
const known = list({
  ...declared,
  filters: {
    shelf_id: driving(equals('specimens.shelf_id', param.integer()), {
      scoped: true,
      counts: true,
      complete: () => true,
      ids: ({ values: [shelf] }, bound: BoundFilterOf<typeof inRange>) =>
        sql`select id from specimens where shelf_id = ${shelf} and size >= ${bound.least}`,
    }),
  },
  select,
});
const numbered = list({ ...declared, select, about: () => sql`(select max(id) from specimens)` });

/** Total rows, more than a walk visits; and the rows of shelf 1, which come first by id and last by size. */
const [all, first] = [32_000, 6000] as const;

/** Rows of two shelves that can be sorted: shelf 3 has the next ones, shelf 4 every tenth of most others. */
const [next, scattered] = [2000, 2299] as const;
const shelfOf = sql`case when i <= ${sql.lit(first)} then 1 when i <= ${sql.lit(first + next)} then 3
  when i % 10 = 0 and i < 31000 then 4 else 2 end`;

test('isBeyondWalk estimates whether a bounded walk would miss the page', () => {
  const of = (perPage: number, offset = 0) => ({ perPage, offset });
  const cases = [
    [1200, of(20), 300_000, true],
    [1200, of(20), 100_000, false],
    [5000, of(20), 1_000_000, false],
    [5000, of(100), 1_000_000, true],
    [3000, of(20), 1_000_000, true],
    [3000, of(5), 1_000_000, false],
    [3000, of(5, 95), 1_000_000, true],
    [10_001, of(100), 10_000_000, false],
    [undefined, of(100), 10_000_000, false],
  ] as const;
  for (const [total, slice, all, expected] of cases) {
    assert.equal(
      isBeyondWalk(total, slice, all),
      expected,
      `${total} of ${all}, ${slice.perPage} from ${slice.offset}`,
    );
  }
});

forEachEngine((engine) => {
  describe('matches at the far end of an order', () => {
    let db: Database;

    before(async () => {
      db = await openTestDatabase(engine, migrations);
      await db.write(async (trx) => {
        await trx
          .insertInto('specimen_shelves')
          .values([1, 2, 3, 4].map((capacity) => ({ capacity })))
          .execute();
        await sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${all})
          insert into specimens (title, size, shelf_id)
          select 'Moss ' || i, ${all} + 1 - i, ${shelfOf} from n`.execute(trx);
      });
    });

    /** The ids on a page, the total, and the number of queries for rows. */
    const page = async (
      filter: number | { smaller_than: number },
      by: 'id' | 'size',
      direction: 'asc' | 'desc',
      offset = 0,
    ) => {
      const filters = typeof filter === 'number' ? { shelf_id: filter } : filter;
      const seen: string[] = [];
      const stop = db.onQuery((text) => text.includes('"specimens".*') && seen.push(text));
      const order = { by, direction };
      const { rows, total } = await specimens.page(db.read, { least: 0 }, filters, order, { offset, perPage: 3 });
      stop();
      return { ids: rows.map(({ id }) => id), total, queries: seen.length };
    };

    test('are counted up to the limit', async () => {
      const order = { by: 'size', direction: 'desc' } as const;
      const totalOf = async (shelf_id: number, least: number) =>
        (await known.page(db.read, { least }, { shelf_id }, order, { offset: 0, perPage: 1 })).total;
      // On shelf 2 the rows with the lowest ids have the largest sizes.
      const { rows } = await sql<{ size: number }>`select size from specimens where shelf_id = 2
        order by size desc limit 3 offset 9999`.execute(db.read);
      const [at = 0, above = 0, far = 0] = rows.map(({ size }) => Number(size));
      const totals = await Promise.all([at, above, far, 0].map((least) => totalOf(2, least)));
      assert.deepEqual(totals, [10_000, 10_001, 10_001, 10_001]);
      assert.deepEqual([await totalOf(1, 0), await totalOf(3, 0), await totalOf(9, 0)], [first, next, 0]);
      assert.equal(await known.count(db.read, { least: 0 }, { shelf_id: 2 }, 'all'), all - first - next - scattered);
    });

    test('are sorted after a failed walk', async () => {
      assert.deepEqual(await page(1, 'id', 'desc'), { ids: [6000, 5999, 5998], total: first, queries: 2 });
      assert.deepEqual(await page(1, 'size', 'asc'), { ids: [6000, 5999, 5998], total: first, queries: 2 });
      assert.deepEqual(await page(1, 'id', 'desc', 300), { ids: [5700, 5699, 5698], total: first, queries: 2 });
    });

    test('are walked from the near end, up to the last page', async () => {
      assert.deepEqual(await page(1, 'id', 'asc'), { ids: [1, 2, 3], total: first, queries: 1 });
      assert.deepEqual(await page(1, 'size', 'desc', 5998), { ids: [5999, 6000], total: first, queries: 1 });
      assert.deepEqual(await page(2, 'size', 'asc'), { ids: [32_000, 31_999, 31_998], total: 10_001, queries: 1 });
    });

    test('limit the walk relative to the number of matches', async () => {
      assert.deepEqual(await page(4, 'id', 'desc'), { ids: [30_990, 30_980, 30_970], total: scattered, queries: 1 });
      assert.deepEqual(await page(4, 'size', 'asc'), { ids: [30_990, 30_980, 30_970], total: scattered, queries: 1 });
      // Six thousand other rows come first, which exceeds the walk limit.
      assert.deepEqual(await page(3, 'id', 'asc'), { ids: [6001, 6002, 6003], total: next, queries: 2 });
      assert.deepEqual(await page(3, 'size', 'desc'), { ids: [6001, 6002, 6003], total: next, queries: 2 });
    });

    test('are sorted at once for a late page', async () => {
      assert.deepEqual(await page(3, 'id', 'desc', 1500), { ids: [6500, 6499, 6498], total: next, queries: 1 });
    });

    test('are sorted at once if the approximate total shows that a walk would miss the page', async () => {
      const queriesOf = async (target: typeof specimens) => {
        const seen: string[] = [];
        const stop = db.onQuery((text) => text.includes('"specimens".*') && seen.push(text));
        const slice = { offset: 0, perPage: 300 };
        const order = { by: 'id', direction: 'desc' } as const;
        const { rows } = await target.page(db.read, { least: 0 }, { shelf_id: 3 }, order, slice);
        stop();
        assert.deepEqual([rows.length, rows[0]?.id, rows[299]?.id], [300, 8000, 7701]);
        return seen.length;
      };
      assert.deepEqual([await queriesOf(specimens), await queriesOf(numbered)], [2, 1]);
    });

    test('of a range are walked, since they may be half of all rows', async () => {
      const half = { smaller_than: 16_001 };
      assert.deepEqual(await page(half, 'size', 'desc'), { ids: [16_001, 16_002, 16_003], total: 10_001, queries: 1 });
      assert.deepEqual(await page(half, 'id', 'asc'), { ids: [16_001, 16_002, 16_003], total: 10_001, queries: 1 });
    });

    test('support keyset pagination in both directions', async () => {
      const order = specimens.keyset({ by: 'size', direction: 'asc' });
      assert.ok(order);
      const walk = async (values?: readonly number[], backwards = false) => {
        const position = values && { values, backwards };
        const { rows, more } = await specimens.walk(db.read, { least: 0 }, { shelf_id: 1 }, order, position, 2);
        return [rows.map(({ id }) => id), more];
      };
      assert.deepEqual(await walk(), [[6000, 5999], true]);
      assert.deepEqual(await walk([26_002, 5999]), [[5998, 5997], true]);
      assert.deepEqual(await walk([31_999, 2]), [[1], false]);
      assert.deepEqual(await walk([31_999, 2], true), [[4, 3], true]);
    });
  });
});
