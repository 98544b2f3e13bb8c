import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Generated, sql } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { boundProperties } from '../../../src/platform/database/form.ts';
import { type Migration, migrate } from '../../../src/platform/database/migrator.ts';
import {
  type SearchCriteria,
  SearchIndex,
  searchFor,
  searchValues,
} from '../../../src/platform/database/search-index.ts';
import { indexNextPiece } from '../../../src/platform/database/search-pieces.ts';
import { rawQuery, shapedQuery } from '../../../src/platform/database/shaped.ts';
import { list } from '../../../src/platform/list-kit/list.ts';
import { byId } from '../../../src/platform/list-kit/order.ts';
import { searchFilters } from '../../../src/platform/list-kit/searching.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import fc from '../../support/properties.ts';

declare module '../../../src/platform/database/tables.ts' {
  interface Tables {
    essays: { id: Generated<number>; title: string; body: string | null };
  }
}

const texts = { table: 'essays', columns: ['title', 'body'] };
const before: readonly Migration[] = [
  { name: '0001-essays', up: ({ id, text }) => [`create table essays (id ${id}, title ${text} not null, body text)`] },
  { name: '0002-search', up: (dialect) => dialect.search(texts) },
];
const migrations: readonly Migration[] = [
  ...before,
  { name: '0003-pieces', up: (dialect) => dialect.searchInPieces(texts) },
  { name: '0004-at-commit', up: (dialect) => dialect.searchAtCommit(texts) },
];

const index = new SearchIndex({ ...texts, inPieces: true });
const candidates = shapedQuery(boundProperties<SearchCriteria>()({ values: searchValues }), (db, terms, engine) =>
  rawQuery(db, index.candidates(terms, engine)),
);
const essays = list({
  id: 'essays.id',
  scope: boundProperties()({}),
  filters: { search: searchFilters({ index, columns: { title: 'essays.title', body: 'essays.body' } }).search },
  orders: { id: byId },
  select: (db) => db.selectFrom('essays').select('essays.id'),
});

const byWords = list({
  id: 'essays.id',
  scope: boundProperties()({}),
  filters: {
    search: searchFilters({ index, columns: { title: 'essays.title', body: 'essays.body' }, byWords: true }).search,
  },
  orders: { id: byId },
  select: (db) => db.selectFrom('essays').select('essays.id'),
});

const letters = 'abcdefghijklmnopqrstuvwxyz';
/** Pseudo-random letters, the same for the same seed. */
function scribble(length: number, seed: number): string {
  let [state, text] = [seed, ''];
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += letters.charAt((state >>> 16) % letters.length);
  }
  return text;
}

const add = async (db: Database, title: string, body: string | null) => {
  const [row] = await db.write((trx) => trx.insertInto('essays').values({ title, body }).returning('id').execute());
  return row?.id ?? 0;
};
const edit = (db: Database, id: number, body: string | null) =>
  db.write((trx) => trx.updateTable('essays').set({ body }).where('id', '=', id).execute());
const remove = (db: Database, id: number) => db.write((trx) => trx.deleteFrom('essays').where('id', '=', id).execute());
const found = async (db: Database, text: string) => {
  const { rows } = await essays.page(db.read, {}, { search: text }, { by: 'id', direction: 'asc' }, all);
  return rows.map(({ id }) => id);
};
const all = { offset: 0, perPage: 100 };
/** The candidate rows of the index, before they are compared. */
const candidateIds = async (db: Database, text: string) => {
  const ids = (await candidates.all(db.read, searchFor(text))).map(({ id }) => id);
  return ids.sort((a, b) => a - b);
};
const indexAll = async (db: Database) => {
  while (await indexNextPiece(db));
};
const counts = async (db: Database) => {
  const { rows } = await sql<{ pieces: number; waiting: number }>`select
    (select count(*) from essays_pieces) as pieces, (select count(*) from derived_search_waiting) as waiting`.execute(
    db.read,
  );
  return rows[0];
};

forEachEngine((engine) => {
  describe('long texts in a search index', () => {
    const onlySqlite = { skip: engine === 'postgres' && 'it does not index in this process' };

    test('are found before, during and after indexing, wherever the match is', async () => {
      const db = await openTestDatabase(engine, migrations);
      const body = scribble(50_000, 1);
      const id = await add(db, 'Long One', body);
      const other = await add(db, 'Long One', scribble(50_000, 2));
      const needles = [0, 8150, 8160, 8170, 8190, 16_300, 16_330, 49_900].map((at) => body.slice(at, at + 60));
      for (let steps = 0; ; steps += 1) {
        for (const needle of needles) assert.deepEqual(await found(db, needle.toUpperCase()), [id], `after ${steps}`);
        assert.deepEqual(await found(db, 'long one'), [id, other]);
        assert.deepEqual(await found(db, 'long oneself'), []);
        if (!(await indexNextPiece(db))) break;
      }
      for (const needle of needles) assert.deepEqual(await candidateIds(db, needle), [id]);
    });

    test('are found by words in different pieces', async () => {
      const db = await openTestDatabase(engine, migrations);
      const id = await add(db, 'title', `first ${scribble(30_000, 7)} second ${scribble(30_000, 8)} third`);
      await add(db, 'title', `first ${scribble(60_000, 9)} third`);
      const short = await add(db, 'third', 'first and second');
      const foundByWords = async (search: string) => {
        const { rows } = await byWords.page(db.read, {}, { search }, { by: 'id', direction: 'asc' }, all);
        return rows.map((row) => row.id);
      };
      for (const indexed of [false, true]) {
        if (indexed) await indexAll(db);
        assert.deepEqual(await foundByWords('third second first'), [id, short]);
        assert.deepEqual(await foundByWords('title second'), [id]);
        assert.deepEqual(await foundByWords('third missing'), []);
      }
    });

    test('are candidates until they are indexed, and appear once', onlySqlite, async () => {
      const db = await openTestDatabase(engine, migrations);
      const id = await add(db, 'sought', `${scribble(30_000, 3)} sought ${scribble(30_000, 4)} sought`);
      const short = await add(db, 'sought', 'too');
      assert.deepEqual([await candidateIds(db, 'sought'), await candidateIds(db, 'absent')], [[id, short], [id]]);
      await indexNextPiece(db);
      assert.deepEqual(await candidateIds(db, 'sought'), [id, short]);
      await indexAll(db);
      assert.deepEqual([await candidateIds(db, 'sought'), await candidateIds(db, 'absent')], [[id, short], []]);
      assert.deepEqual(await counts(db), { pieces: 8, waiting: 0 });
    });

    test(
      'leave no pieces behind when updated, shortened or deleted, even while partly indexed',
      onlySqlite,
      async () => {
        const db = await openTestDatabase(engine, migrations);
        const [first, second] = [scribble(40_000, 5), scribble(20_000, 6)];
        const id = await add(db, 'x', first);
        await indexAll(db);
        await edit(db, id, second);
        assert.deepEqual(
          [await found(db, second.slice(9000, 9050)), await found(db, first.slice(9000, 9050))],
          [[id], []],
        );
        await indexAll(db);
        assert.deepEqual(await candidateIds(db, first.slice(9000, 9050)), []);
        assert.deepEqual(await counts(db), { pieces: 3, waiting: 0 });
        await edit(db, id, first);
        await indexNextPiece(db);
        await edit(db, id, 'short again');
        assert.deepEqual(
          [await candidateIds(db, 'short again'), await candidateIds(db, first.slice(0, 50))],
          [[id], []],
        );
        await indexAll(db);
        assert.deepEqual(await counts(db), { pieces: 0, waiting: 0 });
        await edit(db, id, first);
        await indexAll(db);
        await remove(db, id);
        assert.deepEqual(await candidateIds(db, first.slice(0, 50)), []);
        await indexAll(db);
        assert.deepEqual(await counts(db), { pieces: 0, waiting: 0 });
      },
    );

    test('that predate pieces are found, updated and deleted like others', onlySqlite, async () => {
      const db = await openTestDatabase(engine, before);
      const body = scribble(40_000, 7);
      const ids = [await add(db, 'x', body), await add(db, 'x', body)];
      await migrate(db, migrations);
      assert.deepEqual(await found(db, body.slice(20_000, 20_040)), ids);
      await edit(db, ids[0] ?? 0, `${body}, and more`);
      await indexAll(db);
      assert.deepEqual(await candidateIds(db, body.slice(20_000, 20_040)), ids);
      await remove(db, ids[1] ?? 0);
      assert.deepEqual(await candidateIds(db, body.slice(20_000, 20_040)), [ids[0]]);
    });

    test('are found correctly after any sequence of changes', async () => {
      const db = await openTestDatabase(engine, migrations);
      const bodies = [null, 'brief', 'café', scribble(17_000, 8), scribble(26_000, 9), '日本語'.repeat(4000)];
      const body = fc.constantFrom(...bodies);
      const step = fc.oneof(
        fc.record({ kind: fc.constant('add' as const), body }),
        fc.record({ kind: fc.constant('edit' as const), body, at: fc.nat(9) }),
        fc.record({ kind: fc.constant('remove' as const), at: fc.nat(9) }),
        fc.record({ kind: fc.constant('index' as const), pieces: fc.nat(4) }),
      );
      const needles = ['brief', 'café', '本語日', ...bodies.slice(3, 5).flatMap((text) => parts(text ?? ''))];
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          await db.write((trx) => trx.deleteFrom('essays').execute());
          const rows = new Map<number, string | null>();
          const at = (place: number) => [...rows.keys()][place % Math.max(1, rows.size)] ?? 0;
          for (const each of steps) {
            if (each.kind === 'add') rows.set(await add(db, 'x', each.body), each.body);
            else if (each.kind === 'index') for (let n = 0; n < each.pieces; n += 1) await indexNextPiece(db);
            else if (rows.size > 0) {
              const id = at(each.at);
              if (each.kind === 'edit') rows.set(id, each.body);
              else rows.delete(id);
              await (each.kind === 'edit' ? edit(db, id, each.body) : remove(db, id));
            }
          }
          for (const needle of needles) {
            const holding = [...rows].filter(([, text]) => text?.includes(needle)).map(([id]) => id);
            assert.deepEqual(await found(db, needle), holding, needle);
          }
        }),
        { numRuns: 15 },
      );
    });
  });
});

function parts(text: string): string[] {
  return [0, 8140, 8180, 16_290].map((at) => text.slice(at, at + 50));
}
