import { sql } from 'kysely';
import type { Database, Reader, Writer } from '../database/database.ts';
import { boundProperties } from '../database/form.ts';
import { rawQuery, shapedQuery } from '../database/shaped.ts';
import { type Param, statement } from '../database/statement.ts';
import { randomToken } from '../secrets/tokens.ts';
import { type Lane, laneOf } from './lanes.ts';
import { type Keyed, requeue, writeRequeueing } from './waiting.ts';
import './tables.ts';

/** A job that a worker holds exclusively until the lease ends. */
export interface LeasedJob extends Keyed {
  readonly payload: string;
  readonly attempts: number;
  readonly max_attempts: number;
  /** New with every lease: identifies this attempt among all others. */
  readonly lease_token: string;
}

const abandoned = 'The worker disappeared while it ran this job';
const maxAtOnce = 100;

const lanes = statement((db, _param: Param<object>) =>
  rawQuery(
    db,
    sql<{ lane: string; run_at: number | null }>`
    with recursive lanes(lane) as (
      select min(jobs.lane) from jobs where jobs.state = 'pending'
      union all
      select (select min(jobs.lane) from jobs where jobs.state = 'pending' and jobs.lane > lanes.lane)
      from lanes where lanes.lane is not null
    )
    select lanes.lane,
      (select min(jobs.run_at) from jobs where jobs.state = 'pending' and jobs.lane = lanes.lane) as run_at
    from lanes where lanes.lane is not null`,
  ),
);

/** Lanes with waiting jobs, due or not: one index lookup for each lane, however many jobs are waiting. */
export async function waitingLanes(db: Reader): Promise<Lane[]> {
  const rows = await lanes.all(db, {});
  // A job can leave its lane between the two lookups.
  return rows.flatMap(({ lane, run_at }) => (run_at === null ? [] : [laneOf(lane, run_at)]));
}

const firstEnd = statement((db, _param: Param<object>) =>
  db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('lease_until').as('end'))
    .where('lease_until', 'is not', null),
);

/** When the first lease ends; undefined if none is held. */
export async function firstLeaseEnd(db: Reader): Promise<number | undefined> {
  return (await firstEnd.first(db, {}))?.end ?? undefined;
}

/** Which jobs to lease, and for how long. */
interface Leasing {
  readonly lane: string;
  readonly count: number;
  readonly now: number;
  readonly until: number;
}

const leasing = shapedQuery(
  boundProperties<Leasing & { readonly token: string }>()({ values: ['lane', 'count', 'now', 'until', 'token'] }),
  (db, filter, engine) =>
    db
      .with('picked', (with_) =>
        with_
          .selectFrom('jobs')
          .select('id')
          .where('state', '=', 'pending')
          .where('lane', '=', filter.lane)
          .where('run_at', '<=', filter.now)
          .orderBy('run_at')
          .orderBy('id')
          .limit(filter.count)
          .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked()),
      )
      .updateTable('jobs')
      .set((eb) => ({
        state: 'running',
        attempts: eb('attempts', '+', 1),
        waiting_key: null,
        lease_token: filter.token,
        lease_until: filter.until,
      }))
      .where('id', 'in', (eb) => eb.selectFrom('picked').select('id'))
      .returning(['id', 'kind', 'payload', 'dedupe_key', 'attempts', 'max_attempts', 'lease_token']),
);

/** Leases up to `count` due jobs of a lane with one conditional update, however many workers compete. */
export async function lease(trx: Writer, request: Leasing): Promise<LeasedJob[]> {
  const rows = await leasing.all(trx, { ...request, token: randomToken() });
  return rows.map((row) => ({ ...row, lease_token: row.lease_token ?? '' })).sort((a, b) => a.id - b.id);
}

/** Extends the leases; returns the jobs that are still held. */
export async function renew(db: Database, jobs: readonly LeasedJob[], until: number): Promise<LeasedJob[]> {
  const held = await db.write((trx) =>
    trx
      .updateTable('jobs')
      .set({ lease_until: until })
      .where('id', 'in', [...new Set(jobs.map(({ id }) => id))])
      .where('lease_token', 'in', [...new Set(jobs.map(({ lease_token }) => lease_token))])
      .returning(['id', 'lease_token'])
      .execute(),
  );
  return jobs.filter((job) => held.some((row) => row.id === job.id && row.lease_token === job.lease_token));
}

/** Requeues jobs whose workers went silent, or gives them up after their last attempt; returns how many. */
export async function reclaim(db: Database, now: number): Promise<number> {
  return writeRequeueing(db, async (trx) => {
    const silent = await trx
      .selectFrom('jobs')
      .select(['id', 'kind', 'dedupe_key', 'attempts', 'max_attempts'])
      .where('lease_until', '<', now)
      .limit(maxAtOnce)
      .$if(db.engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute();
    for (const job of silent) {
      // A job that crashes its worker each time must not do so forever.
      if (job.attempts >= job.max_attempts) await markDead(trx, job.id, abandoned, now);
      else await requeue(trx, job, { run_at: now, attempts: job.attempts, error: abandoned, failed_at: now });
    }
    return silent.length;
  });
}

/** Gives up a job and keeps it for the administrator. */
export async function markDead(trx: Writer, id: number, error: string, now: number): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ state: 'dead', waiting_key: null, lease_token: null, lease_until: null, error, failed_at: now })
    .where('id', '=', id)
    .execute();
}
