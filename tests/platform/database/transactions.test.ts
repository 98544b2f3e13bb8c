import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { afterCommit, type Database, type Reader, type Writer } from '../../../src/platform/database/database.ts';
import { uniqueViolation } from '../../../src/platform/database/errors.ts';
import { acquireLock, lockRow, lockRows } from '../../../src/platform/database/locks.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

forEachEngine((engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine, migrations);
  });

  const titles = async (reader: Reader, prefix: string): Promise<string[]> => {
    const rows = reader.selectFrom('specimens').select('title').where('title', 'like', `${prefix}%`).orderBy('title');
    return (await rows.execute()).map((row) => row.title);
  };
  const add = (writer: Reader, title: string) => writer.insertInto('specimens').values({ title }).execute();

  test('an open transaction is isolated from others', async () => {
    const inserted = Promise.withResolvers<void>();
    const other = Promise.withResolvers<void>();
    const slow = db.write(async (trx) => {
      await add(trx, 'wait-slow');
      inserted.resolve();
      await other.promise;
      assert.deepEqual(await titles(trx, 'wait-'), ['wait-slow']);
    });
    await inserted.promise;
    assert.deepEqual(await titles(db.read, 'wait-'), []);
    // On SQLite it begins when the slow one has ended; on PostgreSQL both may be open at once.
    const quick = db.write(async (trx) => {
      const seen = await titles(trx, 'wait-');
      if (engine === 'sqlite') assert.deepEqual(seen, ['wait-slow']);
      await trx.insertInto('specimens').values({ title: 'later' }).execute();
    });
    other.resolve();
    await Promise.all([slow, quick]);
    assert.deepEqual(await titles(db.read, 'wait-'), ['wait-slow']);
  });

  test('transactions that lock a row or a name see the writes of the previous holder', async () => {
    const shelf = { capacity: 0 };
    const { id } = await db.write((trx) =>
      trx.insertInto('specimen_shelves').values(shelf).returning('id').executeTakeFirstOrThrow(),
    );
    const count = async (lock: (trx: Writer) => Promise<unknown>) => {
      const one = () =>
        db.write(async (trx) => {
          await lock(trx);
          const row = await trx
            .selectFrom('specimen_shelves')
            .selectAll()
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          const change = { capacity: row.capacity + 1 };
          await trx.updateTable('specimen_shelves').set(change).where('id', '=', id).execute();
        });
      await Promise.all(Array.from({ length: 20 }, one));
    };
    await count((trx) => lockRow(trx, 'specimen_shelves', id));
    await count((trx) => lockRow(trx, 'specimen_shelves', id, 'remove'));
    await count((trx) => acquireLock(trx, 'counting'));
    const found = await db.write((trx) => lockRows(trx, 'specimen_shelves', [id + 1, id, id]));
    assert.deepEqual(found, [{ id, capacity: 60 }]);
    assert.equal(await db.write((trx) => lockRow(trx, 'specimen_shelves', id + 1)), undefined);
    assert.deepEqual(await db.write((trx) => lockRows(trx, 'specimen_shelves', [])), []);
  });

  test('transactions committed as a group are rolled back and reported individually', async () => {
    const notified: number[] = [];
    const one = (number: number) =>
      db.write(
        async (trx) => {
          await add(trx, `together-${number}`);
          afterCommit(trx, () => notified.push(number));
          if (number % 5 === 0) throw new Error(`not ${number}`);
          await add(trx, `together-${number}-too`);
          return number;
        },
        { together: true },
      );
    const alone = (number: number) =>
      db.write(async (trx) => {
        await add(trx, `together-${number}`);
        if (engine === 'sqlite') assert.ok((await titles(trx, 'together-1')).length > 0, 'in the order of the calls');
        return number;
      });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const done = await Promise.allSettled(numbers.map((number) => (number === 12 ? alone(number) : one(number))));
    const committed = numbers.filter((number) => number % 5 !== 0);
    assert.deepEqual(
      done.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
      committed,
    );
    assert.match(String((done[5] as PromiseRejectedResult).reason), /not 5/);
    const expected = committed.flatMap((n) => [`together-${n}`, ...(n === 12 ? [] : [`together-${n}-too`])]);
    assert.deepEqual(await titles(db.read, 'together-'), expected.sort());
    assert.deepEqual(
      notified.sort((a, b) => a - b),
      committed.filter((number) => number !== 12),
    );
    await assert.rejects(one(0), /not 0/);
    assert.equal(await one(21), 21);
  });

  test('a failed transaction is rolled back and rejects with the error of its work', async () => {
    const error = new Error('changed my mind');
    const write = db.write(async (trx) => {
      await add(trx, 'undone');
      throw error;
    });
    await assert.rejects(write, error);
    assert.deepEqual(await titles(db.read, 'undone'), []);
  });

  test('one failing among concurrent writes does not affect the others', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        db.write(async (trx) => {
          await add(trx, `group-${String(index).padStart(2, '0')}`);
          if (index === 7) await add(trx, 'group-07');
          if (index === 13) throw new Error('thirteen');
          return index;
        }),
      ),
    );
    const failed = results.flatMap((result, index) => (result.status === 'rejected' ? [index] : []));
    assert.deepEqual(failed, [7, 13]);
    assert.equal((await titles(db.read, 'group-')).length, 18);
    const seventh = results[7];
    assert.ok(seventh?.status === 'rejected' && uniqueViolation(seventh.reason));
  });

  test('200 concurrent writes lose no update', async () => {
    const { id } = await db.write((trx) =>
      trx.insertInto('specimen_shelves').values({ capacity: 0 }).returning('id').executeTakeFirstOrThrow(),
    );
    const taken = await Promise.all(
      Array.from({ length: 200 }, () =>
        db.write(async (trx) => {
          const update = trx.updateTable('specimen_shelves').where('id', '=', id);
          const next = update.set((eb) => ({ capacity: eb('capacity', '+', 1) })).returning('capacity');
          return (await next.executeTakeFirstOrThrow()).capacity;
        }),
      ),
    );
    assert.equal(new Set(taken).size, 200);
    const shelf = db.read.selectFrom('specimen_shelves').select('capacity').where('id', '=', id);
    assert.equal((await shelf.executeTakeFirstOrThrow()).capacity, 200);
  });

  test('a resolved write is visible to the next read', async () => {
    for (let round = 0; round < 20; round++) {
      await db.write((trx) => add(trx, `seen-${round}`));
      assert.deepEqual(await titles(db.read, `seen-${round}`), [`seen-${round}`]);
    }
  });

  test('the reader cannot write or begin a transaction', async () => {
    await assert.rejects(add(db.read, 'smuggled'), /readonly|read-only/);
    await assert.rejects(
      db.read.transaction().execute(async () => undefined),
      /database\.write/,
    );
  });

  test('a statement that was not awaited cannot run in another transaction', async () => {
    const open = Promise.withResolvers<void>();
    let straggler: Promise<unknown> = Promise.resolve();
    await db.write(async (trx) => {
      straggler = open.promise.then(() => add(trx, 'straggler'));
    });
    await db.write(async () => {
      open.resolve();
      await assert.rejects(straggler, /transaction is over/);
    });
    assert.deepEqual(await titles(db.read, 'straggler'), []);
  });

  test('a nested write is rejected instead of deadlocking', async () => {
    await assert.rejects(
      db.write(() => db.write(async () => undefined)),
      /inside database\.write/,
    );
  });

  test('afterCommit actions run in order once the rows are visible, and not after a rollback', async () => {
    const ran: string[] = [];
    await db.write(async (trx) => {
      afterCommit(trx, () => ran.push('first'));
      await add(trx, 'announced');
      afterCommit(trx, () => ran.push('second'));
      assert.deepEqual(ran, []);
    });
    assert.deepEqual(ran, ['first', 'second']);
    const failing = db.write(async (trx) => {
      afterCommit(trx, () => ran.push('never'));
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(ran, ['first', 'second']);
  });

  test('afterCommit actions may write', async () => {
    const again = Promise.withResolvers<void>();
    await db.write(async (trx) => {
      afterCommit(trx, () => void db.write((next) => add(next, 'again')).then(() => again.resolve(), again.reject));
    });
    await again.promise;
    assert.deepEqual(await titles(db.read, 'again'), ['again']);
  });

  test('closing waits for running writes', async () => {
    const own = await openTestDatabase(engine, migrations);
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const write = own.write(async (trx) => {
      begun.resolve();
      await go.promise;
      await add(trx, 'last');
    });
    await begun.promise;
    const closing = own.close();
    go.resolve();
    await Promise.all([write, closing]);
  });
});

test('sqlite: closing commits a pending group', async () => {
  const other = await openTestDatabase('sqlite', migrations);
  const notified: string[] = [];
  const writes = ['closing-1', 'closing-2'].map((title) =>
    other.write(
      async (trx) => {
        await trx.insertInto('specimens').values({ title }).execute();
        afterCommit(trx, () => notified.push(title));
      },
      { together: true },
    ),
  );
  await Promise.all([...writes, other.close()]);
  assert.deepEqual(notified, ['closing-1', 'closing-2']);
});
