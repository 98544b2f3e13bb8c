import type { Database, Reader, Writer } from '../database/database.ts';
import { type Param, statement } from '../database/statement.ts';
import { insertJob } from './enqueue.ts';
import { laneName } from './lanes.ts';
import { nextRun, type Schedule } from './schedule.ts';

/** Recurring work. */
export interface Recurring {
  readonly name: string;
  readonly kind: string;
  readonly schedule: Schedule;
  readonly maxAttempts: number;
}

/** Records when each job is first due, or an earlier time if its schedule has become tighter. */
export async function registerRecurring(db: Database, all: readonly Recurring[], now: number): Promise<void> {
  const rows = await db.read.selectFrom('recurring_jobs').select(['name', 'next_run_at']).execute();
  const recorded = new Map(rows.map((row) => [row.name, row.next_run_at]));
  const changed = all
    .map(({ name, schedule }) => ({ name, next_run_at: nextRun(schedule, now) }))
    .filter(({ name, next_run_at }) => next_run_at < (recorded.get(name) ?? Number.POSITIVE_INFINITY));
  if (changed.length === 0) return;
  await db.write((trx) =>
    trx
      .insertInto('recurring_jobs')
      .values(changed)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({ next_run_at: eb.ref('excluded.next_run_at') })),
      )
      .execute(),
  );
}

const next = statement((db, param: Param<{ names: readonly string[] }>) =>
  db
    .selectFrom('recurring_jobs')
    .select((eb) => eb.fn.min('next_run_at').as('at'))
    .where('name', 'in', param.texts('names')),
);

/** When the first of these jobs is due. */
export async function nextRecurring(db: Reader, names: readonly string[]): Promise<number | undefined> {
  if (names.length === 0) return undefined;
  return (await next.first(db, { names }))?.at ?? undefined;
}

/**
 * Enqueues the recurring jobs that are due. Of several servers, the one whose update still finds the old time wins;
 * periods missed while no server was running are made up for by one run. Returns the number of claimed jobs.
 */
export async function claimRecurring(db: Database, all: readonly Recurring[], now: number): Promise<number> {
  const names = all.map(({ name }) => name);
  const due = await db.read
    .selectFrom('recurring_jobs')
    .select(['name', 'next_run_at'])
    .where('next_run_at', '<=', now)
    .where('name', 'in', names)
    .execute();
  let claimed = 0;
  for (const row of due) {
    const recurring = all.find(({ name }) => name === row.name);
    if (recurring && (await db.write((trx) => claim(trx, recurring, row.next_run_at, now)))) claimed += 1;
  }
  return claimed;
}

async function claim(trx: Writer, { name, kind, schedule, maxAttempts }: Recurring, expected: number, now: number) {
  const { numUpdatedRows } = await trx
    .updateTable('recurring_jobs')
    .set({ next_run_at: nextRun(schedule, now), last_run_at: now })
    .where('name', '=', name)
    .where('next_run_at', '=', expected)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const lane = laneName(kind, 0);
  // A job that fails in every period keeps only its latest failure.
  await trx.deleteFrom('jobs').where('state', '=', 'dead').where('lane', '=', lane).execute();
  const busy = trx
    .selectFrom('jobs')
    .select('id')
    .where('state', 'in', ['pending', 'running'])
    .where('lane', '=', lane);
  if (!(await busy.limit(1).executeTakeFirst())) await insertJob(trx, kind, null, { maxAttempts, now });
  return true;
}
