import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Generated, sql } from 'kysely';
import type { Database, Writer } from '../../../src/platform/database/database.ts';
import type { Migration } from '../../../src/platform/database/migrator.ts';
import { openTestDatabase } from '../../support/engines.ts';
import fc from '../../support/properties.ts';

declare module '../../../src/platform/database/tables.ts' {
  interface Tables {
    postcards: { id: Generated<number>; text: string };
  }
}

const texts = { table: 'postcards', columns: ['text'] };
const migrations: readonly Migration[] = [
  { name: '0001-postcards', up: ({ id }) => [`create table postcards (id ${id}, text text not null)`] },
  { name: '0002-search', up: (dialect) => dialect.search(texts) },
  { name: '0003-pieces', up: (dialect) => dialect.searchInPieces(texts) },
  { name: '0004-at-commit', up: (dialect) => dialect.searchAtCommit(texts) },
];

const add = async (trx: Writer, text: string) => {
  const row = await trx.insertInto('postcards').values({ text }).returning('id').executeTakeFirstOrThrow();
  return row.id;
};
const edit = (trx: Writer, id: number, text: string) =>
  trx.updateTable('postcards').set({ text }).where('id', '=', id).execute();
const remove = (trx: Writer, id: number) => trx.deleteFrom('postcards').where('id', '=', id).execute();

const indexed = async (db: Database, word: string) => {
  const found = sql<{ id: number }>`select rowid as id from postcards_search where postcards_search match ${word}`;
  return (await found.execute(db.read)).rows.map(({ id }) => id).sort((a, b) => a - b);
};
const due = async (db: Database) => (await sql`select 1 from derived_search_due`.execute(db.read)).rows.length;

const long = `lon${' '.repeat(20_000)}`;

// PostgreSQL maintains its index itself.
describe('search index updated at commit', () => {
  test('contains rows once they are committed, alone or in groups, and none that were rolled back', async () => {
    const db = await openTestDatabase('sqlite', migrations);
    const alone = await db.write((trx) => add(trx, 'one'));
    assert.deepEqual(await indexed(db, 'one'), [alone]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, number) =>
        db.write(
          async (trx) => {
            const id = await add(trx, `two ${number}`);
            if (number % 3 === 0) throw new Error('changed my mind');
            return id;
          },
          { together: true },
        ),
      ),
    );
    const committed = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    assert.equal(committed.length, 8);
    assert.deepEqual(await indexed(db, 'two'), committed);
    await assert.rejects(
      db.write(async (trx) => {
        await add(trx, 'not');
        throw new Error('changed my mind');
      }),
    );
    assert.deepEqual([await indexed(db, 'not'), await due(db)], [[], 0]);
  });

  test('contains rows in their final state after any sequence of changes', async () => {
    const db = await openTestDatabase('sqlite', migrations);
    const text = fc.constantFrom('ear', 'lat', long);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), text }),
      fc.record({ kind: fc.constant('edit' as const), text, at: fc.nat(5) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 }), async (transactions) => {
        await db.write((trx) => trx.deleteFrom('postcards').execute());
        const rows = new Map<number, string>();
        const at = (place: number) => [...rows.keys()][place % Math.max(1, rows.size)] ?? 0;
        for (const steps of transactions) {
          await db.write(async (trx) => {
            for (const each of steps) {
              if (each.kind === 'add') rows.set(await add(trx, each.text), each.text);
              else if (each.kind === 'edit' && rows.size > 0) {
                rows.set(at(each.at), each.text);
                await edit(trx, at(each.at), each.text);
              } else if (each.kind === 'remove') {
                const id = at(each.at);
                rows.delete(id);
                await remove(trx, id);
              }
            }
          });
        }
        const holding = (word: string) => [...rows].filter(([, held]) => held === word).map(([id]) => id);
        assert.deepEqual(await indexed(db, 'ear'), holding('ear'));
        assert.deepEqual(await indexed(db, 'lat'), holding('lat'));
        assert.deepEqual([await indexed(db, 'lon'), await due(db)], [[], 0]);
      }),
      { numRuns: 40 },
    );
  });
});
