import type { Database, Reader, Writer } from '../database/database.ts';
import type { JobState } from './tables.ts';
import { requeue, writeRequeueing } from './waiting.ts';

/** A job that exhausted its attempts. */
export interface DeadJob {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: number;
  readonly failedAt: number | null;
}

/** Dead jobs, newest first; pass the last id of a page to get the next one. */
export async function listDead(
  db: Reader,
  { kind, before, limit = 20 }: { kind?: string; before?: number; limit?: number } = {},
): Promise<DeadJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'payload', 'attempts', 'error', 'created_at', 'failed_at'])
    .where('state', '=', 'dead')
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ created_at, failed_at, payload, ...row }) => {
    return { ...row, payload: JSON.parse(payload), createdAt: created_at, failedAt: failed_at };
  });
}

/** Restarts a dead job; false if there is none of that id. */
export async function restartDeadJob(db: Database, id: number, now: number): Promise<boolean> {
  return writeRequeueing(db, async (trx) => {
    const job = await trx
      .selectFrom('jobs')
      .select(['id', 'kind', 'dedupe_key'])
      .where('id', '=', id)
      .where('state', '=', 'dead')
      .$if(db.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (job) await requeue(trx, job, { run_at: now, attempts: 0 });
    return job !== undefined;
  });
}

/** Deletes a dead job; false if there is none of that id. */
export async function discard(db: Database, id: number): Promise<boolean> {
  const remove = (trx: Writer) =>
    trx.deleteFrom('jobs').where('id', '=', id).where('state', '=', 'dead').executeTakeFirst();
  return (await db.write(remove)).numDeletedRows > 0n;
}

/** The number of jobs in each state. */
export async function countJobs(db: Reader): Promise<Record<JobState, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const counts: Record<JobState, number> = { pending: 0, running: 0, dead: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

/** The number of dead jobs of each kind that has any. */
export async function countDead(db: Reader): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
    .where('state', '=', 'dead')
    .groupBy('kind')
    .execute();
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}
