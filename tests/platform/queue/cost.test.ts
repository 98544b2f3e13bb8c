import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import type { Database } from '../../../src/platform/database/database.ts';
import { createQueue } from '../../../src/platform/queue/queue.ts';
import { createLocalSignals } from '../../../src/platform/signals/local.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { migrations } from './kinds.ts';

const onFailure = (error: unknown) => assert.fail(String(error));
const open = (db: Database) => {
  // A fixed clock: nothing becomes due in between.
  const now = () => 1_000_000_000_000;
  const queue = createQueue({ db, signals: createLocalSignals(onFailure), onFailure, now });
  queue.defineJob('test.note', async () => {});
  queue.recurring('sweep', { minute: 0 }, async () => {});
  return queue;
};

async function statementsOf(db: Database, work: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const off = db.onQuery((sql) => seen.push(sql));
  await work();
  off();
  return seen;
}

forEachEngine((engine) => {
  test('polling an empty queue takes a few reads and no write', async () => {
    const db = await openTestDatabase(engine, migrations);
    const queue = open(db);
    await queue.drain();
    await db.write((trx) => queue.enqueue(trx, 'test.other', { text: 'for another worker' }));
    const seen = await statementsOf(db, () => queue.drain());
    assert.ok(seen.length <= 4, seen.join('\n'));
    for (const sql of seen) assert.match(sql.trim(), /^(select|with recursive)/);
  });
});

test('sqlite: no statement of a running queue scans the jobs table', async () => {
  const db = await openTestDatabase('sqlite', migrations);
  const queue = open(db);
  await db.write((trx) => queue.enqueue(trx, 'test.note', { text: 'x' }, { dedupeKey: 'k' }));
  const seen = await statementsOf(db, async () => {
    await queue.drain();
    await queue.listDead();
    await queue.retryDead(1);
  });
  const about = seen.filter((sql) => sql.includes('jobs') && !sql.startsWith('insert'));
  assert.ok(about.length >= 6);
  for (const sql of about) {
    const { rows } = await db.read.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`));
    for (const { detail } of rows) assert.doesNotMatch(detail, /SCAN jobs\b(?! USING)/, sql);
  }
});
