import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { isCausedByEvents } from '../../src/error-tracking/errors/recording/cause.ts';
import type { EventSummary } from '../../src/error-tracking/events/public.ts';
import { Intake } from '../../src/error-tracking/ingest/intake.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startServer } from '../../src/server.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson } from '../support/scene.ts';
import { TestServer } from '../support/server.ts';
import { ServerPlace } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { addTracked, errorsIn, eventId, exceptionEvent, report, startTracking, type Tracked } from './tracking.ts';

const kind = 'error-tracking.record-failed';

/** Makes the database reject each event of the release `poison`, with a code if it is PostgreSQL. */
async function poison(db: Database, code = 'P0001'): Promise<void> {
  const statements =
    db.engine === 'sqlite'
      ? [
          sql`create trigger poison before insert on error_tracking_events when new.release = 'poison'
            begin select raise(abort, 'poisoned'); end`,
        ]
      : [
          sql`create function poison() returns trigger language plpgsql as $$
            begin raise exception 'poisoned' using errcode = ${sql.lit(code)}; end $$`,
          sql`create trigger poison before insert on error_tracking_events for each row
            when (new.release = 'poison') execute function poison()`,
        ];
  await db.write(async (trx) => {
    for (const statement of statements) await statement.execute(trx);
  });
}

async function cure(db: Database): Promise<void> {
  const on = db.engine === 'sqlite' ? sql`` : sql`on error_tracking_events`;
  await db.write((trx) => sql`drop trigger poison ${on}`.execute(trx));
}

/** Stores events of these releases without a request: the first in a batch of its own, the others in the next. */
async function store({ running }: TestServer, { project }: Tracked, releases: readonly string[]): Promise<void> {
  const intake = new Intake(running.services);
  const now = Date.now();
  await Promise.all(
    releases.map((release) => {
      const summary: EventSummary = {
        event_id: eventId(),
        fingerprint: '7',
        grouping_version: 1,
        title: 'E',
        message: 'm',
        culprit: 'c',
        platform: 'python',
        level: 'error',
        logger: null,
        environment: 'production',
        release,
        identity: null,
        occurred_at: now,
        received_at: now,
      };
      return intake.accept(project.id, { bytes: Buffer.from(JSON.stringify(exceptionEvent())), summary });
    }),
  );
}

async function releasesOf({ db }: TestServer, { project }: Tracked): Promise<(string | null)[]> {
  const rows = await db.read
    .selectFrom('error_tracking_events')
    .select('release')
    .where('project_id', '=', project.id)
    .execute();
  return rows.map(({ release }) => release).sort();
}

/** The numbers of events that wait for others, and of those that failed. */
async function waiting({ db }: TestServer, { project }: Tracked): Promise<{ pending: number; failed: number }> {
  const rows = await db.read
    .selectFrom('error_tracking_batches')
    .select(['pending', 'failed'])
    .where('project_id', '=', project.id)
    .execute();
  const sum = (texts: (string | null)[]) => texts.reduce((total, text) => total + JSON.parse(text ?? '[]').length, 0);
  return { pending: sum(rows.map(({ pending }) => pending)), failed: sum(rows.map(({ failed }) => failed)) };
}

/** Makes delayed attempts due, and runs them. */
async function retry({ db, running }: TestServer): Promise<void> {
  await db.write((trx) => trx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', kind).execute());
  await running.services.queue.drain();
}

const dead = async (server: TestServer) => server.must(`GET /admin/dead_jobs?kind=${kind}`);

forEachEngine((engine) => {
  it('an event that cannot be recorded holds up no other, is given up visibly, and can be run again', async () => {
    const server = await startTracking(engine);
    const owner = await addPerson(server, 'owner');
    const [tracked, other] = [await addTracked(server, owner), await addTracked(server, owner)];
    await poison(server.db);
    await store(server, tracked, ['a', 'b', 'poison', 'c']);
    await report(server, other, exceptionEvent());
    await until(async () => (await errorsIn(server, other)).length === 1);
    await until(async () => (await releasesOf(server, tracked)).length === 3);
    assert.deepEqual(await releasesOf(server, tracked), ['a', 'b', 'c']);
    assert.deepEqual(await waiting(server, tracked), { pending: 0, failed: 1 });
    // Later events do not wait for it either.
    await report(server, tracked, exceptionEvent({ release: 'd' }));
    await until(async () => (await releasesOf(server, tracked)).includes('d'));

    await until(async () => {
      await retry(server);
      return (await dead(server)).length > 0;
    });
    const [job, ...others] = await dead(server);
    assert.equal(others.length, 0);
    assert.match(job.error, /Events of batch \d+ cannot be recorded: .*poisoned/);
    assert.deepEqual(await waiting(server, tracked), { pending: 0, failed: 1 });
    const metrics = await server.api('GET /-/metrics');
    assert.ok(metrics.text.includes(`hearth_dead_jobs{kind="${kind}"} 1`));

    await cure(server.db);
    await server.must(`POST /admin/dead_jobs/${job.id}/retry`);
    await until(async () => (await waiting(server, tracked)).failed === 0);
    assert.deepEqual(await releasesOf(server, tracked), ['a', 'b', 'c', 'd', 'poison']);
    const counted = (await errorsIn(server, tracked)).map(({ event_count, kept_events }) => [event_count, kept_events]);
    assert.deepEqual(counted.sort(), [
      [1, 1],
      [4, 4],
    ]);
    const batches = await server.db.read
      .selectFrom('error_tracking_batches')
      .select((eb) => eb.fn.sum<number>('events').as('events'))
      .where('project_id', '=', tracked.project.id)
      .executeTakeFirstOrThrow();
    assert.equal(Number(batches.events), 5);
  });

  it('a batch that cannot be read holds up no other', async () => {
    const server = await startTracking(engine);
    const tracked = await addTracked(server, await addPerson(server, 'owner'));
    const batch = {
      project_id: tracked.project.id,
      storage_key: 'error-events/none',
      size: 1,
      events: 1,
      received_at: Date.now(),
    };
    await server.db.write((trx) =>
      trx
        .insertInto('error_tracking_batches')
        .values([
          { ...batch, pending: '{' },
          { ...batch, pending: '[{"title":"without the rest"}]' },
        ])
        .execute(),
    );
    await report(server, tracked, exceptionEvent());
    await until(async () => (await errorsIn(server, tracked)).length === 1);
    await until(async () => {
      await retry(server);
      return (await dead(server)).length === 2;
    });
  });

  for (const step of ['error-tracking.failed', 'error-tracking.part-recorded']) {
    it(`each event is recorded once when the server dies at ${step}`, async () => {
      const place = await ServerPlace.make(engine);
      const start = async () => new TestServer(await startServer(place.config(), createLogger({ logLevel: 'silent' })));
      const first = await start();
      const tracked = await addTracked(first, await addPerson(first, 'owner'));
      await first.running.services.queue.stop();
      await poison(first.db);
      await store(first, tracked, ['a', 'b', 'poison', 'c', 'd', 'e']);
      await first.end();
      const served = await place.serve(step);
      await served.ended;
      const second = await start();
      // Nobody renews the lease of the server that died.
      await second.db.write((trx) =>
        trx.updateTable('jobs').set({ lease_until: 0 }).where('lease_until', 'is not', null).execute(),
      );
      await until(async () => {
        await retry(second);
        return (await releasesOf(second, tracked)).length === 5;
      });
      assert.deepEqual(await releasesOf(second, tracked), ['a', 'b', 'c', 'd', 'e']);
      assert.deepEqual(await waiting(second, tracked), { pending: 0, failed: 1 });
      await cure(second.db);
      await until(async () => {
        await retry(second);
        return (await waiting(second, tracked)).failed === 0;
      });
      const [error] = await errorsIn(second, tracked);
      assert.deepEqual([error?.event_count, error?.kept_events], [6, 6]);
      await second.end();
    });
  }
});

describe('an unavailable database', () => {
  it('is not held against the events', () => {
    const failure = (properties: object) => Object.assign(new Error('failed'), properties);
    const sqlite = (errcode: number) => failure({ code: 'ERR_SQLITE_ERROR', errcode });
    const outages = ['08006', '53100', '57P01', '58030', '40001', '40P01', '55P03', 'ECONNREFUSED', 'ENOSPC'];
    for (const code of outages) assert.equal(isCausedByEvents(failure({ code })), false, code);
    for (const errcode of [5, 8, 10, 13, 14, 778]) assert.equal(isCausedByEvents(sqlite(errcode)), false, `${errcode}`);
    for (const code of ['22003', '23505', '21000', '54000', 'P0001']) {
      assert.equal(isCausedByEvents(failure({ code })), true, code);
    }
    for (const errcode of [18, 2067, 1811]) assert.equal(isCausedByEvents(sqlite(errcode)), true, `${errcode}`);
    assert.equal(isCausedByEvents(new TypeError('stored JSON does not match its schema')), true);
  });

  it('leaves all events waiting until it is back', async () => {
    const server = await startTracking('postgres');
    const tracked = await addTracked(server, await addPerson(server, 'owner'));
    await poison(server.db, '57P03');
    await store(server, tracked, ['poison', 'a']);
    const job = () =>
      server.db.read
        .selectFrom('jobs')
        .select(['attempts', 'error'])
        .where('kind', '=', 'error-tracking.record')
        .where('error', 'is not', null)
        .executeTakeFirst();
    await until(async () => (await job()) !== undefined);
    assert.deepEqual(await waiting(server, tracked), { pending: 2, failed: 0 });
    await cure(server.db);
    await server.db.write((trx) => trx.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'pending').execute());
    await until(async () => {
      await server.running.services.queue.drain();
      return (await releasesOf(server, tracked)).length === 2;
    });
  });
});
