import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { createLocalSignals } from '../../../src/platform/signals/local.ts';
import { openPostgresSignals } from '../../../src/platform/signals/postgres.ts';
import type { Signals } from '../../../src/platform/signals/signals.ts';
import { testDatabasePlace } from '../../support/engines.ts';

const failures: unknown[] = [];
const onFailure = (error: unknown) => void failures.push(error);
const opened: Signals[] = [];
after(() => Promise.all(opened.map((signals) => signals.close())));

let place: Promise<string> | undefined;
function postgresUrl(): Promise<string> {
  place ??= testDatabasePlace('postgres', []).then(({ url }) => url ?? '');
  return place;
}

async function openPostgres(): Promise<Signals> {
  const signals = await openPostgresSignals(await postgresUrl(), onFailure);
  opened.push(signals);
  return signals;
}

const implementations: Record<string, () => Promise<Signals>> = {
  local: async () => createLocalSignals(onFailure),
  postgres: openPostgres,
};

/** Resolves with the next payload of the channel. */
function next(signals: Signals, channel: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const off = signals.on(channel, (payload) => {
      off();
      resolve(payload);
    });
  });
}

for (const [name, open] of Object.entries(implementations)) {
  describe(name, () => {
    test('notifies each listener of the channel once, and no others', async () => {
      const signals = await open();
      const heard: string[] = [];
      signals.on('jobs', (payload) => heard.push(`first ${payload}`));
      signals.on('jobs', (payload) => heard.push(`second ${payload}`));
      signals.on('others', () => heard.push('other'));
      signals.notify('jobs', 'mail');
      assert.deepEqual(heard, [], 'listeners are called asynchronously');
      const done = next(signals, 'end');
      signals.notify('end');
      assert.equal(await done, undefined);
      assert.deepEqual(heard, ['first mail', 'second mail']);
    });

    test('does not notify removed listeners, and supports adding the same function twice', async () => {
      const signals = await open();
      let heard = 0;
      const listener = () => {
        heard += 1;
      };
      const off = signals.on('jobs', listener);
      signals.on('jobs', listener);
      off();
      off();
      const done = next(signals, 'jobs');
      signals.notify('jobs');
      await done;
      assert.equal(heard, 1);
    });

    test('reports a throwing listener and continues with others', async () => {
      const signals = await open();
      signals.on('jobs', () => {
        throw new Error('listener failed');
      });
      const done = next(signals, 'jobs');
      failures.length = 0;
      signals.notify('jobs');
      await done;
      assert.match(String(failures[0]), /listener failed/);
    });

    test('notifies no one after it is closed', async () => {
      const signals = await open();
      signals.on('jobs', () => assert.fail('heard after close'));
      await signals.close();
      await signals.close();
    });
  });
}

describe('PostgreSQL signals between processes', () => {
  test('are received by both sides', async () => {
    const [one, two] = [await openPostgres(), await openPostgres()];
    const heard = next(two, 'jobs');
    one.notify('jobs', 'quoted "\'\\ ü');
    assert.equal(await heard, 'quoted "\'\\ ü');
    const answered = next(one, 'jobs');
    two.notify('jobs');
    assert.equal(await answered, undefined);
  });

  test('are received once by the sender', async () => {
    const [one, two] = [await openPostgres(), await openPostgres()];
    let heard = 0;
    one.on('jobs', () => {
      heard += 1;
    });
    const there = next(two, 'jobs');
    one.notify('jobs');
    await there;
    const back = next(one, 'back');
    two.notify('back');
    await back;
    assert.equal(heard, 1);
  });

  test('are merged if the same hint is sent repeatedly', async () => {
    const [one, two] = [await openPostgres(), await openPostgres()];
    let heard = 0;
    two.on('jobs', () => {
      heard += 1;
    });
    const end = next(two, 'end');
    for (let index = 0; index < 5000; index++) one.notify('jobs', 'same');
    one.notify('end');
    await end;
    assert.ok(heard >= 1 && heard < 10, `${heard} arrived`);
  });

  test('reconnect and notify listeners, because signals may have been missed', async () => {
    const signals = await openPostgres();
    const missed = next(signals, 'jobs');
    const admin = new pg.Client({ connectionString: await postgresUrl() });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'`,
    );
    await admin.end();
    assert.equal(await missed, undefined);
    const other = await openPostgres();
    const heard = next(signals, 'jobs');
    other.notify('jobs', 'again');
    assert.equal(await heard, 'again');
  });

  test('reject long payloads', async () => {
    const signals = await openPostgres();
    assert.throws(() => signals.notify('jobs', 'x'.repeat(8000)), /too long/);
  });

  test('reject if the server does not respond', async () => {
    await assert.rejects(openPostgresSignals('postgres://127.0.0.1:1/none', onFailure));
  });
});
