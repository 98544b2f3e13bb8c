import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../support/engines.ts';
import { migrations } from './specimens.ts';

const program = join(import.meta.dirname, 'writing-process.ts');

function startWriting(db: TestDatabase, prefix: string, count: number): ChildProcess & { stdout: Readable } {
  const child = spawn(process.execPath, [program, db.options.file ?? '', prefix, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return child;
}

async function shelvedDatabase(): Promise<TestDatabase> {
  const db = await openTestDatabase('sqlite', migrations);
  await db.write((trx) => trx.insertInto('specimen_shelves').values({ capacity: 0 }).execute());
  return db;
}

const titles = async (db: TestDatabase): Promise<Set<string>> => {
  const rows = await db.read.selectFrom('specimens').select('title').execute();
  return new Set(rows.map((row) => row.title));
};

const capacity = async (db: TestDatabase): Promise<number> =>
  (await db.read.selectFrom('specimen_shelves').select('capacity').executeTakeFirstOrThrow()).capacity;

test('sqlite: kill -9 loses no acknowledged write', async () => {
  const db = await shelvedDatabase();
  for (const round of ['first', 'second', 'third']) {
    const child = startWriting(db, round, 1_000_000);
    const acknowledged: string[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      acknowledged.push(line);
      if (acknowledged.length === 150) child.kill('SIGKILL');
    });
    await once(lines, 'close');
    assert.ok(acknowledged.length >= 150);
    const stored = await titles(db);
    // The last line may have been cut short by the kill.
    acknowledged.pop();
    assert.deepEqual(
      acknowledged.filter((title) => !stored.has(title)),
      [],
    );
    assert.equal(await capacity(db), stored.size);
  }
});

test('sqlite: concurrent processes lose no writes', async () => {
  const db = await shelvedDatabase();
  const children = ['left', 'right'].map((prefix) => startWriting(db, prefix, 150));
  const own = Array.from({ length: 150 }, (_, index) =>
    db.write(async (trx) => {
      await trx
        .insertInto('specimens')
        .values({ title: `own-${index}` })
        .execute();
      await trx
        .updateTable('specimen_shelves')
        .set((eb) => ({ capacity: eb('capacity', '+', 1) }))
        .execute();
    }),
  );
  const ends = children.map(async (child) => {
    child.stdout.resume();
    return (await once(child, 'exit'))[0];
  });
  await Promise.all(own);
  assert.deepEqual(await Promise.all(ends), [0, 0]);
  assert.equal((await titles(db)).size, 450);
  assert.equal(await capacity(db), 450);
});
