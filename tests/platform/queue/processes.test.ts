import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { createQueue, type Queue } from '../../../src/platform/queue/queue.ts';
import { createLocalSignals } from '../../../src/platform/signals/local.ts';
import { forEachEngine, openTestDatabase, type TestDatabase } from '../../support/engines.ts';
import { migrations, note } from './kinds.ts';

const program = join(import.meta.dirname, 'working-process.ts');
const leaseMs = 60_000;

async function work(db: TestDatabase, fault = ''): Promise<string | number> {
  const env = { ...process.env, HEARTH_FAULT: fault };
  const child = spawn(process.execPath, [program, JSON.stringify(db.options)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

forEachEngine((engine) => {
  let db: TestDatabase;
  beforeEach(async () => {
    db ??= await openTestDatabase(engine, migrations);
    await db.write(async (trx) => {
      for (const table of ['jobs', 'notebook'] as const) await trx.deleteFrom(table).execute();
    });
  });

  const open = (now: () => number): Queue => {
    const onFailure = (error: unknown) => assert.fail(String(error));
    const queue = createQueue({ db, signals: createLocalSignals(onFailure), onFailure, now });
    queue.defineJob('test.note', (job) =>
      db.write(async (trx) => {
        await note(trx, job.payload.text);
        await job.finish(trx);
      }),
    );
    queue.defineJob('test.other', (job) => db.write((trx) => note(trx, job.payload.text)));
    return queue;
  };
  const notes = async () =>
    (await db.read.selectFrom('notebook').select('text').orderBy('text').execute()).map((row) => row.text);

  // At which step the worker is killed, the kind of its job, and how often the job's effect is found in the end.
  for (const [fault, kind, times] of [
    ['queue.leased', 'test.note', 1],
    ['queue.ran', 'test.note', 1],
    ['queue.done', 'test.note', 1],
    ['queue.leased', 'test.other', 1],
    ['queue.ran', 'test.other', 2],
    ['queue.done', 'test.other', 1],
  ] as const) {
    const own = kind === 'test.note' ? 'finished in its own transaction' : 'finished by the worker';
    test(`a job ${own} is completed by another worker after a kill at ${fault}`, async () => {
      const queue = open(() => Date.now() + leaseMs + 1000);
      await db.write((trx) => queue.enqueue(trx, kind, { text: 'x' }, { runAt: 0 }));
      assert.equal(await work(db, fault), 'SIGKILL');
      await queue.drain();
      assert.deepEqual(await notes(), Array(times).fill('x'));
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
    });
  }

  test('several processes share the work and run each job once', async () => {
    const queue = open(Date.now);
    const texts = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, '0'));
    await db.write(async (trx) => {
      for (const text of texts) await queue.enqueue(trx, 'test.note', { text });
    });
    assert.deepEqual(await Promise.all([work(db), work(db), queue.drain()]), [0, 0, undefined]);
    assert.deepEqual(await notes(), texts);
    assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
  });
});
