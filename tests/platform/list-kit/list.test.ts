import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { contains } from '../../../src/platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../../src/platform/database/form.ts';
import type { MigrationDialect } from '../../../src/platform/database/migrator.ts';
import { SearchIndex } from '../../../src/platform/database/search-index.ts';
import { checkParams, param } from '../../../src/platform/http/params.ts';
import { driving, negatable } from '../../../src/platform/list-kit/filter.ts';
import {
  choice,
  compare,
  equals,
  flag,
  matches,
  matchesAll,
  whenTrue,
  withKeywords,
} from '../../../src/platform/list-kit/filters.ts';
import { list } from '../../../src/platform/list-kit/list.ts';
import {
  byColumn,
  byExpression,
  byId,
  byNullable,
  orderParams,
  orderWords,
  readOrderWord,
} from '../../../src/platform/list-kit/order.ts';
import { searchFilters } from '../../../src/platform/list-kit/searching.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from '../database/specimens.ts';

const scope = boundProperties<{ least: number; most?: number | undefined }>()({ values: ['least', 'most'] });
type Scope = BoundFilterOf<typeof scope>;
const texts = { table: 'specimens', columns: ['title'] };

let built = 0;
const specimens = list({
  id: 'specimens.id',
  scope,
  filters: {
    ids: negatable(equals('specimens.id', param.integers())),
    titles: negatable(equals('specimens.title', param.strings())),
    shelf_id: negatable(
      driving(
        withKeywords(
          { None: sql<SqlBool>`specimens.shelf_id is null`, Any: sql<SqlBool>`specimens.shelf_id is not null` },
          equals('specimens.shelf_id', param.integer()),
        ),
      ),
    ),
    words: negatable(matchesAll(param.commaList(), (word) => contains(sql.ref<string>('specimens.title'), word))),
    larger: compare('specimens.size', '>', param.integer(), { to: (size) => size * 10 }),
    begins: matches(param.string(), (start) => sql`substr(specimens.title, 1, length(${start})) = ${start}`),
    even: flag(sql<SqlBool>`specimens.size % 20 = 0`),
    largest: whenTrue((bound: Scope) => sql`specimens.size = ${bound.most}`),
    which: choice({ small: sql<SqlBool>`specimens.size < 50`, large: sql<SqlBool>`specimens.size >= 50`, all: null }),
    ...searchFilters({ index: new SearchIndex(texts), columns: { title: 'specimens.title' } }),
  },
  orders: {
    id: byId,
    title: byColumn('specimens.title', 'text'),
    shelf: byNullable('specimens.shelf_id'),
    likeness: byExpression(({ filters: { begins } }) => [
      [sql`case when specimens.title = ${begins?.values[0] ?? ''} then 0 else 1 end`, 'asc'],
    ]),
  },
  select: (db, bound) => {
    built += 1;
    return db.selectFrom('specimens').select(['id', 'title', 'size']).where('specimens.size', '>=', bound.least);
  },
});
const shelf = boundProperties<{ shelf?: number; least: number }>()({ values: ['shelf', 'least'] });
const shelved = list({
  id: 'specimens.id',
  scope: shelf,
  filters: { larger: compare('specimens.size', '>', param.integer()) },
  orders: { id: byId, title: byColumn('specimens.title', 'text'), shelf: byNullable('specimens.shelf_id') },
  select: (db, bound) => {
    const query = db.selectFrom('specimens').selectAll('specimens').where('size', '>=', bound.least);
    return bound.shelf ? query.where('shelf_id', '=', bound.shelf) : query.where('shelf_id', 'is', null);
  },
});

const onShelf = driving(equals('specimens.shelf_id', param.integer()));
const late = list({
  id: 'specimens.id',
  scope: shelf,
  lateRows: true,
  filters: { larger: compare('specimens.size', '>', param.integer()), shelf_id: onShelf },
  orders: { id: byId, title: byColumn('specimens.title', 'text') },
  select: (db, bound) => {
    const query = db.selectFrom('specimens').selectAll('specimens').where('size', '>=', bound.least);
    return bound.shelf ? query.where('shelf_id', '=', bound.shelf) : query;
  },
});

type Filters = Parameters<typeof specimens.page>[2];

describe('list parameters', () => {
  test('include those of the filters, and `not` for negatable ones', () => {
    assert.deepEqual(Object.keys(specimens.params), [
      ...['ids', 'titles', 'shelf_id', 'words', 'larger', 'begins', 'even', 'largest', 'which', 'search', 'in', 'not'],
    ]);
    const { properties } = specimens.params.not.schema as { properties: object };
    assert.deepEqual(Object.keys(properties), ['ids', 'titles', 'shelf_id', 'words']);
    const params = { ...specimens.params, ...orderParams(specimens.orders, 'id', 'desc') };
    const sent = { shelf_id: 'none', not: { words: 'a,b', shelf_id: '3' }, which: 'small' };
    assert.deepEqual(checkParams(params, [], sent), {
      ...{ shelf_id: 'None', not: { words: ['a', 'b'], shelf_id: 3 }, which: 'small' },
      ...{ order_by: 'id', sort: 'desc' },
    });
    for (const wrong of [{ shelf_id: 'some' }, { which: 'tiny' }, { not: { shelf_id: 'x' } }, { order_by: 'size' }]) {
      assert.throws(() => checkParams(params, [], wrong), JSON.stringify(wrong));
    }
  });

  test('may combine order and direction in one value', () => {
    assert.deepEqual(orderWords({ created: byId, last_used: byId }).schema.enum, [
      ...['created_asc', 'created_desc', 'last_used_asc', 'last_used_desc'],
    ]);
    assert.deepEqual(readOrderWord('last_used_desc'), { by: 'last_used', direction: 'desc' });
  });
});

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    const searchable = {
      name: '0002-specimens-search',
      up: (dialect: MigrationDialect) => dialect.search(texts),
    };
    db = await openTestDatabase(engine, [...migrations, searchable]);
    await db.write(async (trx) => {
      await trx
        .insertInto('specimen_shelves')
        .values([{ capacity: 1 }, { capacity: 2 }])
        .execute();
      const shelves = [null, 1, 2];
      for (let n = 1; n <= 9; n += 1) {
        const title = `${n % 2 === 0 ? 'Moss' : 'Fern'} ${n}%`;
        await trx
          .insertInto('specimens')
          .values({ title, size: n * 10, shelf_id: shelves[n % 3] ?? null })
          .execute();
      }
    });
  });

  const order = { by: 'id', direction: 'asc' } as const;
  const everything = { offset: 0, perPage: 100 };
  const found = async (filters: Filters, within = { least: 0, most: 90 }) =>
    (await specimens.rows(db.read, within, filters, order, everything)).map(({ id }) => id);

  const cases: [Filters, number[]][] = [
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ ids: [2, 2, 9, 77] }, [2, 9]],
    [{ ids: [] }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ not: { ids: [1, 2, 3, 4, 5] } }, [6, 7, 8, 9]],
    [{ titles: ['Moss 2%', "it's"] }, [2]],
    [{ not: { titles: ['Moss 2%', 'Fern 1%'] } }, [3, 4, 5, 6, 7, 8, 9]],
    [{ shelf_id: 1 }, [1, 4, 7]],
    [{ shelf_id: 'None' }, [3, 6, 9]],
    [{ shelf_id: 'Any' }, [1, 2, 4, 5, 7, 8]],
    // Rows without a shelf are not on shelf 1 either.
    [{ not: { shelf_id: 1 } }, [2, 3, 5, 6, 8, 9]],
    [{ not: { shelf_id: 'None' } }, [1, 2, 4, 5, 7, 8]],
    [{ shelf_id: 'Any', not: { shelf_id: 1 } }, [2, 5, 8]],
    [{ words: ['fern', '7%'] }, [7]],
    [{ not: { words: ['fern', '2%'] } }, [4, 6, 8]],
    [{ larger: 7 }, [8, 9]],
    [{ begins: 'Mo' }, [2, 4, 6, 8]],
    [{ begins: '' }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ even: true }, [2, 4, 6, 8]],
    [{ even: false }, [1, 3, 5, 7, 9]],
    [{ largest: true }, [9]],
    [{ largest: false, which: 'all' }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ which: 'small' }, [1, 2, 3, 4]],
    [{ which: 'large', search: 'moss' }, [6, 8]],
    [{ search: 'ss 4', in: ['title'] }, [4]],
    [{ search: '4%' }, [4]],
    [{ search: 'nowhere', ids: [1] }, []],
  ];
  for (const [filters, expected] of cases) {
    test(`filters by ${JSON.stringify(filters)}`, async () => {
      assert.deepEqual(await found(filters), expected);
      const counted = await specimens.count(db.read, { least: 0, most: 90 }, filters);
      assert.equal(counted, expected.length);
    });
  }

  test('values are bound at each execution, and queries are built once per shape', async () => {
    await found({ begins: 'x', larger: 1, not: { words: ['a', 'b'] } });
    const before = built;
    assert.deepEqual(await found({ begins: 'Fern', larger: 2, not: { words: ['3', '5'] } }), [7, 9]);
    assert.deepEqual(
      await found({ begins: 'Moss', larger: 5, not: { words: ['8', '5'] } }, { least: 0, most: 1 }),
      [6],
    );
    assert.equal(built, before);
    await found({ begins: 'Fern', larger: 2, not: { words: ['3'] } });
    await found({ begins: 'Fern', larger: 2, words: ['3', '5'] });
    assert.equal(built, before + 2);
  });

  test('undeclared filters and orders are rejected', async () => {
    // @ts-expect-error there is no such filter
    await assert.rejects(found({ colour: 'red' }), /no filter "colour"/);
    // @ts-expect-error there is one, but `not` does not take it
    await assert.rejects(found({ not: { begins: 'a' } }), /no filter "not\[begins\]"/);
    const params = { begins: 'a', with_details: true };
    const all = [order, everything] as const;
    // @ts-expect-error nor can it come along with others
    const undeclared = specimens.page(db.read, { least: 0 }, params, ...all);
    await assert.rejects(undeclared, /no filter "with_details"/);
    // @ts-expect-error there is no such order
    const disordered = specimens.page(db.read, { least: 0 }, {}, { by: 'size', direction: 'asc' }, everything);
    await assert.rejects(disordered, /no order "size"/);
  });

  test('orders with nulls last in both directions and ids as tie-breakers', async () => {
    const ordered = async (by: keyof typeof specimens.orders, direction: 'asc' | 'desc', filters: Filters = {}) => {
      const rows = await specimens.rows(db.read, { least: 0 }, filters, { by, direction }, everything);
      return rows.map(({ id }) => id).join('');
    };
    assert.equal(await ordered('id', 'desc'), '987654321');
    assert.equal(await ordered('title', 'desc'), '864297531');
    assert.equal(await ordered('shelf', 'asc'), '147258369');
    assert.equal(await ordered('shelf', 'desc'), '852741963');
    assert.equal(await ordered('likeness', 'asc', { begins: 'Moss 4%' }), '4');
  });

  test('counts only if the page does not imply the total', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    const page = async (offset: number, perPage: number) => {
      const { rows, total } = await specimens.page(db.read, { least: 30 }, {}, order, { offset, perPage });
      return [rows.map(({ id }) => id), total, seen.splice(0).length];
    };
    assert.deepEqual(await page(0, 3), [[3, 4, 5], 7, 2]);
    assert.deepEqual(await page(6, 3), [[9], 7, 1]);
    assert.deepEqual(await page(20, 3), [[], 7, 2]);
    stop();
  });

  test('merges several scopes in one order with one query per page', async () => {
    const shelves = [{ shelf: 1, least: 0 }, { shelf: 2, least: 30 }, { least: 0 }];
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    const page = async (by: 'id' | 'title' | 'shelf', direction: 'asc' | 'desc', offset: number, perPage: number) => {
      const slice = { offset, perPage };
      const { rows, total } = await shelved.page(db.read, shelves, { larger: 0 }, { by, direction }, slice);
      return [rows.map(({ id }) => id).join(''), total, seen.splice(0).length];
    };
    assert.deepEqual(await page('id', 'desc', 0, 4), ['9876', 8, 2]);
    assert.deepEqual(await page('id', 'asc', 3, 4), ['5678', 8, 2]);
    assert.deepEqual(await page('title', 'asc', 4, 5), ['9468', 8, 1]);
    assert.deepEqual(await page('shelf', 'desc', 0, 9), ['85741963', 8, 1]);
    assert.deepEqual(await shelved.page(db.read, [], {}, order, everything), { rows: [], total: 0 });
    stop();
    const keyset = shelved.keyset({ by: 'id', direction: 'desc' });
    assert.ok(keyset);
    const walked = await shelved.walk(db.read, shelves, {}, keyset, { values: [7], backwards: false }, 3);
    assert.deepEqual([walked.rows.map(({ id }) => id), walked.more], [[6, 5, 4], true]);
  });

  test('starts from the rows of a driving filter', async () => {
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    assert.deepEqual(await found({ shelf_id: 2 }), [2, 5, 8]);
    assert.equal(seen.length, 2);
    assert.match(seen[1] ?? '', engine === 'sqlite' ? /"id" in \(select value from json_each/ : /"id" = any\(/);
    assert.doesNotMatch(seen[1] ?? '', /shelf_id/);
    seen.length = 0;
    assert.deepEqual(await found({ search: 'fern' }), [1, 3, 5, 7, 9]);
    assert.match(seen[1] ?? '', /glob|like/);
    seen.length = 0;
    await found({ shelf_id: 'Any' });
    assert.equal(seen.length, 1);
    stop();
  });

  test('looks up complete rows only for the page with `lateRows`', async () => {
    const shelves = [
      { shelf: 1, least: 0 },
      { shelf: 2, least: 30 },
    ];
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    const { rows, total } = await late.page(
      db.read,
      shelves,
      {},
      { by: 'title', direction: 'asc' },
      { offset: 1, perPage: 2 },
    );
    stop();
    assert.deepEqual(
      [rows.map(({ id, title, size }) => [id, title, size]), total],
      [
        [
          [5, 'Fern 5%', 50],
          [7, 'Fern 7%', 70],
        ],
        5,
      ],
    );
    assert.match(seen[0] ?? '', /^select "specimens"\.\* from \(/);
    const { rows: none } = await late.page(db.read, shelves, { larger: 999 }, order, everything);
    assert.deepEqual(none, []);
  });

  test('reads the whole scope if a filter leaves few rows, and separate scopes otherwise', async () => {
    let walks = 0;
    const alternatives = {
      whole: { least: 0 },
      walked: async () => {
        walks += 1;
        return { scopes: [{ shelf: 1, least: 0 }], few: false };
      },
    };
    const ids = async (filters: { shelf_id?: number }) =>
      (await late.rows(db.read, alternatives, filters, order, everything)).map(({ id }) => id);
    assert.deepEqual([await ids({ shelf_id: 2 }), walks], [[2, 5, 8], 0]);
    assert.deepEqual([await ids({}), walks], [[1, 4, 7], 1]);
  });

  test('walks in both directions from a position', async () => {
    const keyset = specimens.keyset({ by: 'title', direction: 'desc' });
    assert.ok(keyset);
    assert.equal(specimens.keyset({ by: 'shelf', direction: 'asc' }), undefined);
    const shown = async (values?: readonly (string | number)[], backwards = false) => {
      const position = values && { values, backwards };
      const { rows, more, earlier } = await specimens.walk(db.read, { least: 20 }, { larger: 1 }, keyset, position, 3);
      return [rows.map(({ id }) => id).join(''), more, earlier];
    };
    assert.deepEqual(await shown(), ['864', true, false]);
    assert.deepEqual(await shown(['Moss 4%', 4]), ['297', true, true]);
    assert.deepEqual(await shown(['Fern 7%', 7]), ['53', false, true]);
    assert.deepEqual(await shown(['Fern 7%', 7], true), ['429', true, true]);
  });

  test('every filter works in every order', async () => {
    const cases = specimens.cases();
    const titles = new Set(cases.map(({ title }) => title));
    assert.equal(titles.size, cases.length);
    for (const expected of [
      'not shelf_id="None" by shelf desc',
      'which="all" by id asc',
      'in=["title"] by title asc',
    ]) {
      assert.ok(titles.has(expected), expected);
    }
    for (const { filters, order: inOrder } of cases) {
      await specimens.page(db.read, { least: 0, most: 1 }, filters, inOrder, { offset: 0, perPage: 1 });
    }
  });

  test('counts beyond the count limit on request', async () => {
    const titled = (turn: number) =>
      Array.from({ length: 2001 }, (_, n) => ({ title: `Lichen ${turn} ${n}`, size: 1000, shelf_id: null }));
    await db.write(async (trx) => {
      for (let turn = 0; turn < 5; turn += 1) await trx.insertInto('specimens').values(titled(turn)).execute();
    });
    assert.equal(await shelved.count(db.read, { least: 1000 }, {}), 10_001);
    assert.equal(await shelved.count(db.read, { least: 1000 }, {}, 'all'), 10_005);
    assert.equal(await shelved.count(db.read, [{ least: 1000 }, { shelf: 1, least: 0 }], {}, 'all'), 10_008);
  });
});

const negated = list({
  id: 'specimens.id',
  scope: shelf,
  filters: {
    shelf_id: negatable(
      driving(equals('specimens.shelf_id', param.integer()), {
        ids: ({ values: [place] }) => sql`select id from specimens where shelf_id = ${place}`,
      }),
    ),
  },
  orders: { id: byId },
  select: (db, bound) => db.selectFrom('specimens').selectAll('specimens').where('size', '>=', bound.least),
});

forEachEngine((engine) => {
  test('negations are not evaluated per row if the list exceeds the count limit anyway', async () => {
    const db = await openTestDatabase(engine, migrations);
    await db.write(async (trx) => {
      await trx
        .insertInto('specimen_shelves')
        .values([{ capacity: 1 }, { capacity: 2 }, { capacity: 3 }])
        .execute();
      await sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < 20500)
        insert into specimens (title, size, shelf_id)
        select 'Moss ' || i, i, case when i <= 100 then 1 when i <= 12000 then 2 end from n`.execute(trx);
    });
    const count = async (least: number, shelf_id: number) => {
      const seen: string[] = [];
      const stop = db.onQuery((text) => seen.push(text));
      const total = await negated.count(db.read, { least }, { not: { shelf_id } });
      stop();
      return [total, seen.some((text) => text.includes('is not true'))];
    };
    assert.deepEqual(await count(1, 1), [10_001, false]);
    assert.deepEqual(await count(1, 2), [8600, true]);
    assert.deepEqual(await count(12_001, 1), [8500, true]);
    assert.deepEqual(await count(10_401, 2), [8500, true]);
    // Negation excludes more rows than are counted, but not among the first twenty thousand.
    await db.write((trx) =>
      sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < 35000)
        insert into specimens (title, size, shelf_id)
        select 'Fern ' || i, 50000 + i, case when i % 3 = 0 then 3 when i <= 12000 then 2 end from n`.execute(trx),
    );
    assert.deepEqual(await count(50_001, 3), [10_001, false]);
    assert.deepEqual(await count(72_001, 3), [8667, true]);
    assert.deepEqual(await count(1, 2), [10_001, true]);
  });
});
