import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import './tables.ts';

/** Adds usage to the root namespace of a project, if the runner is an instance runner. */
export async function addSeconds(
  trx: Writer,
  { projectId, runnerId, month, seconds }: Record<'projectId' | 'runnerId' | 'month' | 'seconds', number>,
): Promise<void> {
  await sql`insert into runner_minutes (namespace_id, month, seconds)
    select n.id, ${sql.lit(month)}, ${sql.lit(seconds)} from projects p
      join namespace_ancestors a on a.namespace_id = p.namespace_id
      join namespaces n on n.id = a.ancestor_id and n.parent_id is null
    where p.id = ${projectId}
      and exists (select 1 from runners r where r.id = ${runnerId} and r.runner_type = 'instance_type')`.execute(trx);
}

const used = statement((db, param: Param<{ namespace: number; month: number }>) =>
  db
    .selectFrom('runner_minutes')
    .select((eb) => eb.fn.sum<number | string | null>('seconds').as('seconds'))
    .where('namespace_id', '=', param('namespace'))
    .where('month', '=', param('month')),
);

export async function secondsUsed(db: Reader, namespace: number, month: number): Promise<number> {
  return Number((await used.first(db, { namespace, month }))?.seconds ?? 0);
}

/** Usage of several namespaces; omits those without usage. */
export async function secondsUsedBy(
  db: Reader,
  namespaces: readonly number[],
  month: number,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('runner_minutes')
    .select((eb) => ['namespace_id', eb.fn.sum<number | string>('seconds').as('seconds')])
    .where('namespace_id', 'in', namespaces)
    .where('month', '=', month)
    .groupBy('namespace_id')
    .execute();
  return new Map(rows.map(({ namespace_id, seconds }) => [namespace_id, Number(seconds)]));
}

/** Usage rows of one namespace to be merged. */
interface UsageKey {
  readonly namespace_id: number;
  readonly month: number;
  readonly settled: number;
}

/** A batch of namespaces with several rows for a month. */
export function uncompacted(db: Reader): Promise<UsageKey[]> {
  return db
    .selectFrom('runner_minutes')
    .select(['namespace_id', 'month', 'settled'])
    .groupBy(['namespace_id', 'month', 'settled'])
    .having((eb) => eb.fn.countAll<number>(), '>', 1)
    .limit(100)
    .execute();
}

/** Replaces the current rows of a month by their sum. Rows inserted concurrently are kept. */
export async function compact(trx: Writer, { namespace_id, month, settled }: UsageKey): Promise<void> {
  const rows = await trx
    .deleteFrom('runner_minutes')
    .where('namespace_id', '=', namespace_id)
    .where('month', '=', month)
    .where('settled', '=', settled)
    .returning('seconds')
    .execute();
  const seconds = rows.reduce((sum, row) => sum + Number(row.seconds), 0);
  await trx.insertInto('runner_minutes').values({ namespace_id, month, seconds, settled }).execute();
}

/** A batch of namespaces with unsettled usage of past months. */
export function unsettled(db: Reader, before: number): Promise<{ namespace_id: number; month: number }[]> {
  return db
    .selectFrom('runner_minutes')
    .select(['namespace_id', 'month'])
    .where('settled', '=', sql.lit(0))
    .where('month', '<', before)
    .groupBy(['namespace_id', 'month'])
    .orderBy('month')
    .limit(100)
    .execute();
}

/** Marks the usage of a month as settled. Returns the seconds settled before and now. */
export async function settle(
  trx: Writer,
  namespace: number,
  month: number,
): Promise<{ readonly before: number; readonly settled: number }> {
  const rows = await trx
    .updateTable('runner_minutes')
    .set({ settled: 1 })
    .where('namespace_id', '=', namespace)
    .where('month', '=', month)
    .where('settled', '=', 0)
    .returning('seconds')
    .execute();
  const added = rows.reduce((sum, row) => sum + Number(row.seconds), 0);
  return { before: (await secondsUsed(trx, namespace, month)) - added, settled: added };
}

/** Root namespaces with running jobs on instance runners, and the total running time. */
export async function runningSeconds(db: Reader, now: number): Promise<{ namespace: number; seconds: number }[]> {
  const rows = await onInstanceRunners(db)
    .select(['a.ancestor_id as namespace', sql<number | string>`sum(${now} - j.started_at)`.as('ms')])
    .groupBy('a.ancestor_id')
    .execute();
  return rows.map(({ namespace, ms }) => ({ namespace, seconds: Math.floor(Number(ms) / 1000) }));
}

/** Running jobs of a root namespace on instance runners. */
export async function runningJobs(db: Reader, namespace: number): Promise<number[]> {
  const rows = await onInstanceRunners(db)
    .select('j.id')
    .where('a.ancestor_id', '=', namespace)
    .orderBy('j.id')
    .execute();
  return rows.map(({ id }) => id);
}

const onInstanceRunners = (db: Reader) =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('runners as r', 'r.id', 'j.runner_id')
    .innerJoin('projects as p', 'p.id', 'j.project_id')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    // Repeats the condition of the partial index on running jobs.
    .where(sql<boolean>`j.status in ('running', 'canceling')`)
    .where('j.status', '=', 'running')
    .where('j.started_at', 'is not', null)
    .where('r.runner_type', '=', 'instance_type')
    .where('n.parent_id', 'is', null);

const limitColumns = [
  'n.id',
  'n.kind',
  'n.owner_id',
  'n.settings',
  'u.shared_runners_minutes_limit',
  'u.extra_shared_runners_minutes_limit',
] as const;

/** Limits of root namespaces, as stored with groups and users. */
export function limitsOf(db: Reader, namespaces: readonly number[]) {
  return db
    .selectFrom('namespaces as n')
    .leftJoin('users as u', 'u.id', 'n.owner_id')
    .select(limitColumns)
    .where('n.id', 'in', namespaces)
    .execute();
}

const limits = statement((db, param: Param<{ namespace: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .leftJoin('users as u', 'u.id', 'n.owner_id')
    .select(limitColumns)
    .where('a.namespace_id', '=', param('namespace'))
    .where('n.parent_id', 'is', null),
);

/** The root of a namespace with its limits, as stored with the group or user. */
export const limitsAbove = (db: Reader, namespace: number) => limits.first(db, { namespace });
