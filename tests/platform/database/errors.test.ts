import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { InsertObject } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { foreignKeyViolation, uniqueViolation, violation } from '../../../src/platform/database/errors.ts';
import type { Tables } from '../../../src/platform/database/tables.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

forEachEngine((engine) => {
  let db: Database;
  let shelf: number;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
    shelf = await db.write(async (trx) => {
      const added = trx.insertInto('specimen_shelves').values({ id: 5, capacity: 1 }).returning('id');
      const { id } = await added.executeTakeFirstOrThrow();
      await trx
        .insertInto('specimens')
        .values([
          { id: 9, shelf_id: id, title: 'Fern' },
          { id: 10, title: 'Fern' },
        ])
        .execute();
      return id;
    });
  });

  const failure = async (row: InsertObject<Tables, 'specimens'>): Promise<unknown> => {
    const write = db.write((trx) => trx.insertInto('specimens').values(row).execute());
    return write.then(
      () => assert.fail('should have failed'),
      (error: unknown) => error,
    );
  };

  test('a unique violation reports its columns', async () => {
    const error = await failure({ shelf_id: shelf, title: 'Fern' });
    const found = uniqueViolation(error);
    assert.equal(found?.table, 'specimens');
    assert.deepEqual(found.columns, ['shelf_id', 'title']);
    assert.ok(uniqueViolation(error, ['title', 'shelf_id']));
    assert.equal(uniqueViolation(error, ['title']), undefined);
    assert.equal(foreignKeyViolation(error), undefined);
  });

  test('a violation of a unique expression index reports the index', async () => {
    const found = uniqueViolation(await failure({ title: 'FERN' }));
    assert.deepEqual(found?.columns, []);
    assert.equal(found.constraint, 'specimens_lower_title');
  });

  test('a primary key violation is a unique violation', async () => {
    assert.deepEqual(uniqueViolation(await failure({ id: 9, title: 'Moss' }))?.columns, ['id']);
  });

  test('a missing referenced row is a foreign key violation', async () => {
    assert.equal(violation(await failure({ shelf_id: 404, title: 'Moss' }))?.rule, 'foreign key');
    assert.ok(foreignKeyViolation(await failure({ shelf_id: 404, title: 'Moss' })));
  });

  test('a check violation reports its constraint', async () => {
    const found = violation(await failure({ title: 'Moss', size: -1 }));
    assert.equal(found?.rule, 'check');
    assert.equal(found.constraint, 'size_is_possible');
  });

  test('a not-null violation reports its column', async () => {
    const row: InsertObject<Tables, 'specimens'> = JSON.parse('{"title":null}');
    const found = violation(await failure(row));
    assert.equal(found?.rule, 'not null');
    assert.deepEqual(found.columns, ['title']);
  });

  test('other errors are not violations', async () => {
    const nonsense = db.read.selectFrom('nowhere' as 'specimens').selectAll();
    await assert.rejects(nonsense.execute(), (error) => violation(error) === undefined);
    assert.equal(violation('text'), undefined);
    assert.equal(violation(new Error('UNIQUE constraint failed: a.b')), undefined);
  });
});
