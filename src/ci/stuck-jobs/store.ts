import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';

const batchSize = 100;

interface Stuck {
  readonly id: number;
  readonly status: string;
  readonly started_at: number | null;
  readonly timeout: number | null;
}

/** Jobs on runners without any report since `since`, with IDs above `afterId`. */
export function silentJobs(db: Reader, since: number, afterId: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', 'in', ['running', 'canceling'])
    .where('kind', '=', 'build')
    .where('updated_at', '<=', since)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(batchSize)
    .execute();
}

/** Jobs assigned before `before` whose runner has never reported, with IDs above `afterId`. */
export function unreportedJobs(db: Reader, before: number, afterId: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', '=', 'running')
    .where('kind', '=', 'build')
    .where('started_at', '<=', before)
    .whereRef('updated_at', '=', 'started_at')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(batchSize)
    .execute();
}

/** Jobs on runners whose timeout passed by `by`, with IDs above `afterId`. */
export function overdueJobs(db: Reader, by: number, afterId: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', 'in', ['running', 'canceling'])
    .where('kind', '=', 'build')
    .where(sql<SqlBool>`started_at + coalesce(timeout, 3600) * 1000 <= ${by}`)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(batchSize)
    .execute();
}

const waiting = (db: Reader) =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('pending_jobs as q', 'q.job_id', 'j.id')
    .select(['j.id', 'j.created_at', 'j.updated_at', 'q.project_id', 'q.tag_list', 'q.protected'])
    .select(['q.instance_runners', 'q.group_runners']);

/** A job waiting for a runner. */
export const waitingJob = (db: Reader, id: number) => waiting(db).where('j.id', '=', id).executeTakeFirst();

/** Jobs that have been waiting for a runner since before `since`, with IDs above `afterId`. */
export function waitingJobs(db: Reader, since: number, afterId: number) {
  return waiting(db)
    .where('j.updated_at', '<=', since)
    .where('j.id', '>', afterId)
    .orderBy('j.id')
    .limit(batchSize)
    .execute();
}

/** Delayed jobs scheduled before `before`. */
export async function missedJobs(db: Reader, before: number, afterId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<=', before)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}

const maxRunners = 1000;

/** Runners available to a project that have contacted the server since `since`. */
export function runnersFor(
  db: Reader,
  projectId: number,
  { instance, group, since }: { readonly instance: boolean; readonly group: boolean; readonly since: number },
) {
  const own = sql<SqlBool>`id in (select rp.runner_id from runner_projects rp where rp.project_id = ${projectId})`;
  const ofGroups = sql<SqlBool>`namespace_id in (select a.ancestor_id from projects p
    join namespace_ancestors a on a.namespace_id = p.namespace_id where p.id = ${projectId})`;
  return db
    .selectFrom('runners')
    .select(['tag_list', 'run_untagged', 'access_level'])
    .distinct()
    .where('paused', '=', 0)
    .where('contacted_at', '>', since)
    .where((eb) =>
      eb.or([own, ...(group ? [ofGroups] : []), ...(instance ? [eb('runner_type', '=', 'instance_type')] : [])]),
    )
    .limit(maxRunners)
    .execute();
}

const waitingStatuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'scheduled',
];

/** Unfinished jobs of a user that do not wait for manual action, with IDs above `afterId`. */
export async function unfinishedJobs(db: Reader, userId: number, afterId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', [...waitingStatuses, 'running', 'canceling'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}
