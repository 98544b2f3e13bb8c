import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { day, firstPeriodStart, frequencyOf, hour, periodStart } from '../../src/error-tracking/errors/frequency.ts';
import { contextOf } from '../../src/error-tracking/errors/present.ts';
import { purge, thinEvents } from '../../src/error-tracking/errors/retention/retention.ts';
import { thinOut } from '../../src/error-tracking/errors/retention/thinning.ts';
import { candidatePaths, revisionsOf } from '../../src/error-tracking/errors/sources/paths.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson, type Person } from '../support/scene.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { addTracked, counted, errorsIn, exceptionEvent, report, startTracking, type Tracked } from './tracking.ts';

const dayMs = day * 1000;
const hourMs = hour * 1000;
const signal = new AbortController().signal;

describe('frequencies', () => {
  const now = Date.UTC(2026, 10, 15, 12, 34, 56);

  it('are aligned to hours and days', () => {
    assert.equal(periodStart(hour, now), Date.UTC(2026, 10, 15, 12) / 1000);
    assert.equal(periodStart(day, now), Date.UTC(2026, 10, 15) / 1000);
    assert.equal(firstPeriodStart(hour, 24, now), Date.UTC(2026, 10, 14, 13) / 1000);
    assert.equal(firstPeriodStart(day, 30, now), Date.UTC(2026, 9, 17) / 1000);
  });

  it('contain every hour, with the current one last', () => {
    const counts = [
      { starts_at: periodStart(hour, now), count: 3 },
      { starts_at: periodStart(hour, now - 2 * hourMs), count: 1 },
      { starts_at: periodStart(hour, now - 24 * hourMs), count: 9 },
    ];
    const found = frequencyOf(counts, hour, 24, now);
    assert.equal(found.length, 24);
    assert.deepEqual(
      found.slice(-3).map(([, count]) => count),
      [1, 0, 3],
    );
    assert.equal(found[0]?.[1], 0);
  });
});

describe('thinOut', () => {
  const now = Date.UTC(2026, 10, 15, 12);
  const event = (id: number, ago: number, receivedAgo = ago) => ({
    id,
    occurred_at: now - ago,
    received_at: now - receivedAgo,
  });

  it('keeps one event per day and recent ones', () => {
    const events = [event(1, 1000), event(2, hourMs), event(3, 2 * hourMs), event(4, dayMs), event(5, dayMs + 1)];
    assert.deepEqual(
      thinOut(events, now).deletable.map(({ id }) => id),
      [3, 5],
    );
    const late = [event(1, dayMs, 1000), event(2, dayMs, 1000)];
    assert.deepEqual(thinOut(late, now).deletable, []);
  });

  it('continues after the last kept day', () => {
    const first = thinOut([event(1, dayMs)], now);
    assert.deepEqual(
      thinOut([event(2, dayMs + 1), event(3, 2 * dayMs)], now, first.lastDay).deletable.map(({ id }) => id),
      [2],
    );
  });
});

describe('stack frame sources', () => {
  it('are looked up by all suffixes of the path', () => {
    assert.deepEqual(candidatePaths({ filename: 'app/a.py', abs_path: '/srv/app/a.py' }), [
      'app/a.py',
      'a.py',
      'srv/app/a.py',
    ]);
    assert.deepEqual(candidatePaths({ filename: 'C:\\x\\a.cs', abs_path: null }), ['x/a.cs', 'a.cs']);
    assert.deepEqual(candidatePaths({ filename: 'https://x.org/js/a.js?v=1', abs_path: null }), ['js/a.js', 'a.js']);
    assert.deepEqual(candidatePaths({ filename: '../../etc/passwd', abs_path: null }), []);
    assert.deepEqual(candidatePaths({ filename: null, abs_path: null }), []);
  });

  it('are looked up at the release, version or commit', () => {
    assert.deepEqual(revisionsOf('app@1.2.3+4'), ['1.2.3', 'v1.2.3']);
    assert.deepEqual(revisionsOf('3f2a9c1b'), ['3f2a9c1b', 'v3f2a9c1b']);
  });

  it('have numbered context lines if the line number is known', () => {
    const lines = { pre_context: ['a', null], context_line: 'c', post_context: ['d'] };
    assert.deepEqual(contextOf({ ...lines, lineno: 10 }), [
      [8, 'a'],
      [10, 'c'],
      [11, 'd'],
    ]);
    assert.deepEqual(contextOf({ ...lines, lineno: null }), []);
  });
});

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;

  before(async () => {
    server = await startTracking(engine, ['--deletion-delay', '0']);
    owner = await addPerson(server, 'owner');
  });

  const count = async (table: 'error_tracking_events' | 'error_tracking_batches', { project }: Tracked) => {
    const rows = await server.db.read.selectFrom(table).select('id').where('project_id', '=', project.id).execute();
    return rows.length;
  };
  const files = async ({ project }: Tracked) => {
    const { read } = server.db;
    const rows = await read
      .selectFrom('error_tracking_batches')
      .select('storage_key')
      .where('project_id', '=', project.id)
      .execute();
    return rows.map((row) => row.storage_key);
  };
  const stored = async (key: string) => (await server.running.services.storage.stat(key)) !== undefined;

  it('thins out the events of a frequent error and deletes their files', async () => {
    const tracked = await addTracked(server, owner);
    await report(server, tracked, exceptionEvent());
    await counted(server);
    const [error = assert.fail()] = await errorsIn(server, tracked);
    const now = Date.now();
    const [batch] = await files(tracked);
    await server.db.write(async (trx) => {
      const [event = assert.fail()] = await trx
        .selectFrom('error_tracking_events')
        .selectAll()
        .where('error_id', '=', error.id)
        .execute();
      const { id: _, ...row } = event;
      for (let index = 0; index < 300; index += 1) {
        const past = now - dayMs - (index < 150 ? 0 : dayMs) - index;
        const batch_id = index < 200 ? row.batch_id : row.batch_id + 1_000_000;
        const event_id = `${index}`.padStart(32, '0');
        await trx
          .insertInto('error_tracking_events')
          .values({ ...row, event_id, occurred_at: past, received_at: past, batch_id })
          .execute();
      }
      await trx.updateTable('error_tracking_errors').set({ kept_events: 301 }).where('id', '=', error.id).execute();
      await trx.updateTable('error_tracking_batches').set({ events: 201 }).where('id', '=', row.batch_id).execute();
    });
    await thinEvents(server.running.services, signal);
    // The newest hundred, and one for each of the other two days.
    assert.equal(await count('error_tracking_events', tracked), 102);
    const [after = assert.fail()] = await errorsIn(server, tracked);
    assert.deepEqual([after.kept_events, after.event_count], [102, 1]);
    const rows = await server.db.read
      .selectFrom('error_tracking_batches')
      .select('events')
      .where('project_id', '=', tracked.project.id)
      .execute();
    const held = await server.db.read
      .selectFrom('error_tracking_events')
      .innerJoin('error_tracking_batches as b', 'b.id', 'batch_id')
      .select('error_tracking_events.id')
      .where('b.project_id', '=', tracked.project.id)
      .execute();
    assert.deepEqual(rows, [{ events: held.length }]);
    assert.ok(batch !== undefined && (await stored(batch)));
  });

  it('deletes everything after ninety days', async () => {
    const [old, recent] = [await addTracked(server, owner), await addTracked(server, owner)];
    const user = { id: 1 };
    await report(server, old, exceptionEvent({ user }));
    await report(server, recent, exceptionEvent({ user }));
    await counted(server);
    const [key] = await files(old);
    await purge(server.running.services, signal, Date.now() + 89 * dayMs);
    assert.equal((await errorsIn(server, old)).length, 1);
    await server.db.write(async (trx) => {
      const past = Date.now() - 91 * dayMs;
      const ids = trx.selectFrom('error_tracking_errors').select('id').where('project_id', '=', old.project.id);
      await trx.updateTable('error_tracking_users').set({ last_seen: past }).where('error_id', 'in', ids).execute();
      await trx.updateTable('error_tracking_values').set({ last_seen: past }).where('error_id', 'in', ids).execute();
      await trx
        .updateTable('error_tracking_batches')
        .set({ received_at: past })
        .where('project_id', '=', old.project.id)
        .execute();
    });
    await purge(server.running.services, signal);
    const [faded = assert.fail()] = await errorsIn(server, old);
    assert.deepEqual([faded.kept_events, faded.user_count, faded.event_count], [0, 0, 1]);
    assert.equal(await count('error_tracking_events', old), 0);
    assert.ok(key !== undefined && !(await stored(key)));
    await server.db.write((trx) =>
      trx
        .updateTable('error_tracking_errors')
        .set({ last_seen: Date.now() - 91 * dayMs })
        .where('id', '=', faded.id)
        .execute(),
    );
    await purge(server.running.services, signal);
    assert.equal((await errorsIn(server, old)).length, 0);
    assert.equal((await errorsIn(server, recent)).length, 1);
    assert.equal(await count('error_tracking_events', recent), 1);
  });

  it('deletes the data of a deleted project', async () => {
    const tracked = await addTracked(server, owner);
    await report(server, tracked, exceptionEvent());
    await report(server, tracked, exceptionEvent({}, 'Other'));
    await counted(server);
    const keys = await files(tracked);
    await server.must(`DELETE /projects/${tracked.project.id}`);
    await until(
      async () => (await errorsIn(server, tracked)).length + (await count('error_tracking_batches', tracked)) === 0,
    );
    assert.equal(await count('error_tracking_events', tracked), 0);
    for (const key of keys) await until(async () => !(await stored(key)));
  });
});
