import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CompiledQuery, type Generated, sql } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase } from '../../../src/platform/database/database.ts';
import { boundProperties } from '../../../src/platform/database/form.ts';
import { type Migration, migrate } from '../../../src/platform/database/migrator.ts';
import { maxCountedRows } from '../../../src/platform/database/paging.ts';
import {
  matchOfOneTerm,
  maxLookedUpRows,
  type SearchCriteria,
  SearchIndex,
  searchFor,
  searchValues,
} from '../../../src/platform/database/search-index.ts';
import { lacksSearchIndexes, prepareSearch } from '../../../src/platform/database/search-indexes.ts';
import { rawQuery, shapedQuery } from '../../../src/platform/database/shaped.ts';
import { list } from '../../../src/platform/list-kit/list.ts';
import { byId } from '../../../src/platform/list-kit/order.ts';
import { searchFilters } from '../../../src/platform/list-kit/searching.ts';
import { atEnd } from '../../support/at-end.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { freshPostgres, postgresServer } from '../../support/postgres.ts';
import fc from '../../support/properties.ts';

declare module '../../../src/platform/database/tables.ts' {
  interface Tables {
    findings: { id: Generated<number>; title: string; note: string | null; size: Generated<number> };
  }
}

const texts = { table: 'findings', columns: ['title', 'note'] };
const table: Migration = {
  name: '0001-findings',
  up: ({ id, text }) => [
    `create table findings (id ${id}, title ${text} not null, note text, size bigint not null default 0)`,
  ],
};
const migrations: readonly Migration[] = [table, { name: '0002-search', up: (dialect) => dialect.search(texts) }];

const index = new SearchIndex(texts);
const candidates = shapedQuery(boundProperties<SearchCriteria>()({ values: searchValues }), (db, terms, engine) =>
  rawQuery(db, index.candidates(terms, engine)),
);
const countOf = async (db: Database, text: string) => (await candidates.all(db.read, searchFor(text))).length;

const findings = list({
  id: 'findings.id',
  scope: boundProperties()({}),
  filters: { search: searchFilters({ index, columns: { title: 'findings.title' } }).search },
  orders: { id: byId },
  select: (db) => db.selectFrom('findings').select(['findings.id', 'title']),
});
const byWords = list({
  id: 'findings.id',
  scope: boundProperties()({}),
  filters: {
    search: searchFilters({ index, columns: { title: 'findings.title', note: 'findings.note' }, byWords: true }).search,
  },
  orders: { id: byId },
  select: (db) => db.selectFrom('findings').select(['findings.id', 'title']),
});
const searchIn = (db: Database, search: string, slice: { offset: number; perPage: number }) =>
  findings.page(db.read, {}, { search }, { by: 'id', direction: 'asc' }, slice);

const folded = (text: string) => text.toLowerCase();

const awkward = [
  'plain words',
  'PLAIN WORDS',
  '100% sure_of\\it',
  'say "hello" AND goodbye',
  "it's NEAR(you) * ^ - + :",
  'Straße nach Ærø',
  'straße nach ærø',
  '日本語のテキスト',
  'party 🎉🎊🥳 time',
  'e\u0301clair',
  'éclair',
  'ab',
  'a',
  ' spaced   out ',
  'tab\tand\nline',
];

forEachEngine((engine) => {
  let db: Database;
  const search = (text: string, slice = { offset: 0, perPage: 100 }) => searchIn(db, text, slice);
  const titles = async (text: string) => (await search(text)).rows.map((row) => row.title);

  describe('search index', () => {
    before(async () => {
      db = await openTestDatabase(engine, migrations);
      await db.write((trx) =>
        trx
          .insertInto('findings')
          .values(awkward.map((title) => ({ title, note: null })))
          .execute(),
      );
    });

    test('finds exactly the rows that contain the text', async () => {
      const naive = (text: string) => awkward.filter((title) => folded(title).includes(folded(text)));
      for (const text of [...awkward, '%', '_', '\\', '"', "'", 'AND', '本語の', '本語', '🎊', '🎉🎊🥳', 'zzz']) {
        assert.deepEqual(await titles(text), naive(text), text);
      }
      const part = fc.tuple(fc.constantFrom(...awkward), fc.nat(20), fc.nat(8)).map(([title, from, length]) => {
        return [...title].slice(from, from + length + 1).join('');
      });
      await fc.assert(
        fc.asyncProperty(part, fc.boolean(), async (text, upper) => {
          fc.pre(text !== '');
          const sent = upper ? text.replace(/[^ß]/g, (letter) => letter.toUpperCase()) : text;
          assert.deepEqual(await titles(sent), naive(sent));
        }),
        { numRuns: 60 },
      );
    });

    test('queries only rare trigrams if the others are in most rows', {
      skip: engine === 'postgres' && 'trigram selection is SQLite-specific',
    }, async () => {
      const many = await openTestDatabase(engine, migrations);
      await many.write((trx) =>
        sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
          insert into findings (title) select 'usual words ' || case when i % 50 = 0 then 'sought' else 'else' end from n`.execute(
          trx,
        ),
      );
      const narrowed = async (...words: string[]) => {
        const { terms = [], match = '' } = searchFor(...words);
        return (await index.narrowed(many.read, { terms, match })).match;
      };
      assert.match(searchFor('usual words sought').match ?? '', /"usu" AND "sua"/);
      const rarest = (await narrowed('usual words sought')).split(' AND ').sort();
      assert.deepEqual(rarest, ['" so"', '"ght"', '"oug"', '"s s"', '"sou"', '"ugh"']);
      assert.equal((await narrowed('usual words')).split(' AND ').length, 9);
      // For separate words the trigrams of the rare one suffice, and those in every row do not help a single word
      // either.
      assert.deepEqual((await narrowed('usual', 'sought')).split(' AND ').sort(), ['"ght"', '"oug"', '"sou"', '"ugh"']);
      assert.equal(await narrowed('usual', 'ght'), '"ght"');
      // Trigrams that are frequent only in the newest rows are still selective.
      await many.write((trx) =>
        sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
          insert into findings (title) select 'usual words lately' from n`.execute(trx),
      );
      assert.match(await narrowed('words lately'), /"tel"|"ate"/);
      assert.equal((await searchIn(many, 'usual words sought', { offset: 0, perPage: 5 })).total, 400);
      assert.equal((await searchIn(many, 'usual words absent', { offset: 0, perPage: 5 })).total, 0);
    });

    test('queries only rare words', {
      skip: engine === 'sqlite' && 'SQLite selects trigrams instead',
    }, async () => {
      const many = await openTestDatabase(engine, migrations);
      await many.write(async (trx) => {
        await sql`insert into findings (title) select 'Usual words ' || i || ' of all' from generate_series(1, 3000) i`.execute(
          trx,
        );
        await sql`analyze findings`.execute(trx);
      });
      const page = { offset: 0, perPage: 5 };
      const narrowed = async (...words: string[]) => {
        const { terms = [], match = '' } = searchFor(...words);
        return (await index.narrowed(many.read, { terms, match })).terms;
      };
      assert.deepEqual(await narrowed('usual words 1234 of'), [' 1234 ']);
      assert.deepEqual(await narrowed('usual words'), ['usual words']);
      assert.deepEqual(await narrowed('1234'), ['1234']);
      assert.deepEqual(await narrowed('words', '1234'), ['1234']);
      assert.deepEqual(await narrowed('words', 'usual'), ['words', 'usual']);
      const { rows } = await byWords.page(
        many.read,
        {},
        { search: 'words 1234 us' },
        { by: 'id', direction: 'asc' },
        page,
      );
      assert.deepEqual(rows, [{ id: 1234, title: 'Usual words 1234 of all' }]);
      const none = await byWords.page(
        many.read,
        {},
        { search: 'words 1234 xyz' },
        { by: 'id', direction: 'asc' },
        page,
      );
      assert.equal(none.rows.length, 0);
      assert.equal((await searchIn(many, 'words 1234 of', page)).total, 1);
      assert.equal((await searchIn(many, 'words 1234 or', page)).total, 0);
      assert.equal((await searchIn(many, 'words  1234 of', page)).total, 0);
    });

    test('finds all words of a search in any column', async () => {
      const many = await openTestDatabase(engine, migrations);
      await many.write((trx) =>
        sql`insert into findings (title, note) values ('usual words', 'sought'), ('sought', 'words of the usual kind'),
          ('usual words', 'and more'), ('words sought', null), ('Sought usually', 'in words')`.execute(trx),
      );
      const found = async (search: string) => {
        const { rows } = await byWords.page(many.read, {}, { search }, { by: 'id', direction: 'asc' }, page);
        return rows.map(({ id }) => id);
      };
      const page = { offset: 0, perPage: 100 };
      assert.deepEqual(await found('words usual sought'), [1, 2, 5]);
      assert.deepEqual(await found('"usual words" sought'), [1]);
      assert.deepEqual(await found('sought us'), [1, 2, 5]);
      assert.deepEqual(await found('sought absent'), []);
      const seen: string[] = [];
      const stop = many.onQuery((text) => seen.push(text));
      await found('words sought');
      stop();
      const ids = seen.find((text) => text.includes('limit 1001')) ?? '';
      if (engine === 'postgres') assert.equal(ids.split('lower("note") like').length, 3, 'both words use the index');
    });

    test('balances trigrams among words, and uses one word for pieces of long texts', () => {
      const long = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopq';
      const { terms = [], match = '' } = searchFor(long, 'sought', 'ab');
      assert.deepEqual(terms, [long, 'sought']);
      const trigrams = match.split(' AND ');
      assert.equal(trigrams.length, 32);
      assert.deepEqual(trigrams.slice(0, 4), ['"abc"', '"sou"', '"bcd"', '"oug"']);
      assert.equal(matchOfOneTerm({ match: '"ugh" AND "abc" AND "ght"', terms }), '"ugh" AND "ght"');
    });

    test('follows inserts, updates and deletes, but not rolled-back ones', async () => {
      const found = (text: string) => countOf(db, text);
      const [row] = await db.write((trx) =>
        trx.insertInto('findings').values({ title: 'first words', note: null }).returning('id').execute(),
      );
      const id = row?.id ?? 0;
      assert.deepEqual([await found('first'), await found('second')], [1, 0]);
      const rename = (title: string) => (trx: Parameters<Parameters<Database['write']>[0]>[0]) =>
        trx.updateTable('findings').set({ title }).where('id', '=', id).execute();
      await db.write(rename('second words'));
      assert.deepEqual([await found('first'), await found('second')], [0, 1]);
      const undone = db.write(async (trx) => {
        await rename('third words')(trx);
        throw new Error('no');
      });
      await assert.rejects(undone, /no/);
      assert.deepEqual([await found('third'), await found('second')], [0, 1]);
      await db.write((trx) => trx.updateTable('findings').set({ size: 5 }).where('id', '=', id).execute());
      assert.equal(await found('second'), 1);
      await db.write((trx) => trx.deleteFrom('findings').where('id', '=', id).execute());
      assert.equal(await found('second'), 0);
    });

    test('includes rows that existed before the index', async () => {
      const own = await openTestDatabase(engine, [table]);
      await own.write((trx) => trx.insertInto('findings').values({ title: 'older than it', note: 'oldest' }).execute());
      await migrate(own, migrations);
      assert.equal(await countOf(own, 'older'), 1);
    });

    test('is not used for fewer than three characters', async () => {
      assert.deepEqual(
        [searchFor('ab'), searchFor('日本'), searchFor('🎉🎊'), searchFor(undefined), searchFor()],
        [{}, {}, {}, {}, {}],
      );
      assert.deepEqual(searchFor('ab', 'abc').terms, ['abc']);
    });
  });

  describe('searches with many matches', () => {
    const count = maxLookedUpRows + 500;
    before(async () => {
      db = await openTestDatabase(engine, migrations);
      const rows = Array.from({ length: count }, (_, n) => ({
        title: `common ${n} ${n % 3 === 0 ? 'third' : ''}`,
        note: null,
      }));
      // A list shorter than the count limit would be scanned itself.
      rows.push(...Array.from({ length: maxCountedRows }, (_, n) => ({ title: `other ${n}`, note: null })));
      await db.write(async (trx) => {
        for (let at = 0; at < rows.length; at += 500) {
          await trx
            .insertInto('findings')
            .values(rows.slice(at, at + 500))
            .execute();
        }
      });
      if (engine === 'postgres') await db.write((trx) => sql`analyze findings`.execute(trx));
    });

    test('return correct pages and totals', async () => {
      const { rows, total } = await search('COMMON', { offset: 20, perPage: 10 });
      assert.deepEqual([rows[0]?.title.trim(), rows.length, total], ['common 20', 10, count]);
      const thirds = await search('third', { offset: 0, perPage: 10 });
      assert.equal(thirds.total, count / 3);
    });

    test('use the index instead of scanning the table', async () => {
      const seen: string[] = [];
      const stop = db.onQuery((text) => seen.push(text));
      await search('common 77', { offset: 0, perPage: 2 });
      await search('common', { offset: 0, perPage: 2 });
      stop();
      // Before each search the rare trigrams are determined.
      const [few, page, total, many, , counted] = seen.filter((text) => !text.includes('as oldest'));
      for (const text of [few, page, total, many, counted]) {
        assert.doesNotMatch(await planOf(text ?? ''), /(SCAN|Seq Scan on) findings( |$)/m, text);
      }
    });
  });

  async function planOf(text: string): Promise<string> {
    return db.write(async (trx) => {
      if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(trx);
      const explain = engine === 'postgres' ? 'explain (generic_plan)' : 'explain query plan';
      const unbound = engine === 'postgres' ? [] : Array.from(text.matchAll(/\?/g), () => null);
      const { rows } = await trx.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`${explain} ${text}`, unbound),
      );
      return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
    });
  }
});

describe('PostgreSQL without permission to create the extension', () => {
  test('searches without an index, reports what is missing, and uses the extension once available', async () => {
    const { url, drop } = await freshPostgres();
    atEnd(drop);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const name = new URL(url).pathname.slice(1);
    await admin.query(`create role ${name}_limited login; grant all on schema public to ${name}_limited`);
    const limited = new URL(url);
    limited.username = `${name}_limited`;
    const db = await openDatabase({ url: limited.href, poolSize: 2 });
    const hints: [unknown, string][] = [];
    const hint = (reason: unknown, remedy: string) => hints.push([reason, remedy]);

    await migrate(db, migrations);
    await db.write((trx) => trx.insertInto('findings').values({ title: 'needle in hay', note: null }).execute());
    await prepareSearch(db, migrations, hint);
    assert.match(String(hints[0]?.[0]), /permission denied to create extension/);
    assert.match(hints[0]?.[1] ?? '', /create extension pg_trgm/);
    assert.equal(lacksSearchIndexes(db.read), true);
    const { rows } = await searchIn(db, 'needle', { offset: 0, perPage: 5 });
    assert.equal(rows[0]?.title, 'needle in hay');
    await db.close();

    await admin.query('create extension pg_trgm');
    const again = await openDatabase({ url: limited.href, poolSize: 2 });
    await prepareSearch(again, migrations, hint);
    assert.equal(hints.length, 1);
    assert.equal(lacksSearchIndexes(again.read), false);
    assert.equal((await searchIn(again, 'needle', { offset: 0, perPage: 5 })).rows.length, 1);
    await again.close();
    await admin.query(`drop owned by ${name}_limited cascade; drop role ${name}_limited`);
    await admin.end();
    assert.ok(await postgresServer());
  });
});
