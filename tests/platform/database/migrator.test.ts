import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase, type Reader } from '../../../src/platform/database/database.ts';
import { fingerprint, type Migration, migrate } from '../../../src/platform/database/migrator.ts';
import { forEachEngine, openTestDatabase, testDatabasePlace } from '../../support/engines.ts';

const step = (name: string, ...statements: string[]): Migration => ({ name, up: () => statements });

const first: Migration = {
  name: '0001-plants',
  up: ({ id, text }) => [`create table plants (id ${id}, title ${text} not null)`],
};
const second: Migration = {
  name: '0002-leaves',
  up: ({ id, ref }) => [
    `create table leaves (id ${id}, plant_id ${ref('plants')} on delete cascade not null)`,
    'create index leaves_by_plant on leaves (plant_id)',
  ],
};

const recorded = async (db: Reader): Promise<string[]> => {
  const rows = await db.selectFrom('schema_migrations').select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
};

forEachEngine((engine) => {
  const empty = (): Promise<Database> => openTestDatabase(engine, []);

  test('applies pending migrations in order and once', async () => {
    const db = await empty();
    assert.deepEqual(await migrate(db, [first]), { applied: ['0001-plants'] });
    assert.deepEqual(await migrate(db, [first, second]), { applied: ['0002-leaves'] });
    assert.deepEqual(await migrate(db, [first, second]), { applied: [] });
    assert.deepEqual(await recorded(db.read), ['0001-plants', '0002-leaves']);
  });

  test('executes one query if nothing is pending', async () => {
    const db = await empty();
    await migrate(db, [first]);
    const seen: string[] = [];
    db.onQuery((statement) => seen.push(statement));
    await migrate(db, [first]);
    assert.equal(seen.length, 1);
  });

  test('generates ids, cascades, and sorts text by bytes', async () => {
    const db = await empty();
    await migrate(db, [first, second]);
    const titles = await db.write(async (trx) => {
      for (const title of ['b', 'Z', 'é', 'a', '_'])
        await sql`insert into plants (title) values (${title})`.execute(trx);
      await sql`insert into leaves (plant_id) values (1), (2)`.execute(trx);
      await sql`delete from plants where id = 1`.execute(trx);
      return sql<{ title: string }>`select title from plants order by title`.execute(trx);
    });
    assert.deepEqual(
      titles.rows.map((row) => row.title),
      ['Z', '_', 'a', 'é'],
    );
    const leaves = await sql<{ plant_id: number }>`select plant_id from leaves`.execute(db.read);
    assert.deepEqual(leaves.rows, [{ plant_id: 2 }]);
  });

  test('concurrent migrations apply each step once', async () => {
    const options = await testDatabasePlace(engine, []);
    const both = await Promise.all([openDatabase(options), openDatabase(options)]);
    const steps = [
      first,
      second,
      ...Array.from({ length: 8 }, (_, n) => step(`1${n}`, `create table t${n} (id bigint)`)),
    ];
    try {
      const results = await Promise.all(both.map((db) => migrate(db, steps)));
      assert.deepEqual(
        results.flatMap((result) => result.applied).sort(),
        steps.map((each) => each.name),
      );
      assert.equal((await recorded(both[0].read)).length, steps.length);
    } finally {
      await Promise.all(both.map((db) => db.close()));
    }
  });

  test('rejects a database that is newer than the code', async () => {
    const db = await empty();
    await migrate(db, [first, second]);
    await assert.rejects(migrate(db, [first]), /newer than this version.*0002-leaves/);
  });

  test('rejects a migration that was changed after it was applied', async () => {
    const db = await empty();
    await migrate(db, [first]);
    await assert.rejects(
      migrate(db, [step('0001-plants', 'create table other (id bigint)')]),
      /0001-plants was changed/,
    );
  });

  test('a failed migration is rolled back and named in the error', async () => {
    const db = await empty();
    const broken = step('0002-broken', 'create table half (id bigint)', 'create nonsense');
    await assert.rejects(migrate(db, [first, broken]), /0002-broken failed: .*\ncreate nonsense/s);
    assert.deepEqual(await recorded(db.read), ['0001-plants']);
    assert.deepEqual(await migrate(db, [first, step('0002-fixed', 'create table half (id bigint)')]), {
      applied: ['0002-fixed'],
    });
  });

  test('migration names must be unique', async () => {
    await assert.rejects(migrate(await empty(), [first, first]), /same name/);
  });

  test('the fingerprint depends on the statements', () => {
    assert.equal(fingerprint(engine, [first, second]), fingerprint(engine, [first, second]));
    assert.notEqual(fingerprint(engine, [first]), fingerprint(engine, [first, second]));
  });
});
