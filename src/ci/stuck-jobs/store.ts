import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';

const atOnce = 100;

interface Stuck {
  readonly id: number;
  readonly status: string;
  readonly started_at: number | null;
  readonly timeout: number | null;
}

/** Jobs on runners that nothing was heard of since an instant, beyond a number. */
export function silentJobs(db: Reader, since: number, beyond: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', 'in', ['running', 'canceling'])
    .where('kind', '=', 'build')
    .where('updated_at', '<=', since)
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(atOnce)
    .execute();
}

/** Jobs that were given out before an instant, of which their runners have never said a word, beyond a number. */
export function unheardJobs(db: Reader, before: number, beyond: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', '=', 'running')
    .where('kind', '=', 'build')
    .where('started_at', '<=', before)
    .whereRef('updated_at', '=', 'started_at')
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(atOnce)
    .execute();
}

/** Jobs on runners that should have been over by an instant, beyond a number. */
export function overdueJobs(db: Reader, by: number, beyond: number): Promise<Stuck[]> {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'status', 'started_at', 'timeout'])
    .where('status', 'in', ['running', 'canceling'])
    .where('kind', '=', 'build')
    .where(sql<SqlBool>`started_at + coalesce(timeout, 3600) * 1000 <= ${by}`)
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(atOnce)
    .execute();
}

const waiting = (db: Reader) =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('pending_jobs as q', 'q.job_id', 'j.id')
    .select(['j.id', 'j.created_at', 'j.updated_at', 'q.project_id', 'q.tag_list', 'q.protected'])
    .select(['q.instance_runners', 'q.group_runners']);

/** A job that waits for a runner. */
export const waitingJob = (db: Reader, id: number) => waiting(db).where('j.id', '=', id).executeTakeFirst();

/** Jobs that wait for a runner since before an instant, beyond a number. */
export function waitingJobs(db: Reader, since: number, beyond: number) {
  return waiting(db)
    .where('j.updated_at', '<=', since)
    .where('j.id', '>', beyond)
    .orderBy('j.id')
    .limit(atOnce)
    .execute();
}

/** Delayed jobs whose time was before an instant. */
export async function missedJobs(db: Reader, before: number, beyond: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('status', '=', 'scheduled')
    .where('scheduled_at', '<=', before)
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(atOnce)
    .execute();
  return rows.map(({ id }) => id);
}

const maxRunners = 1000;

/** The runners that were heard of since an instant and may have jobs of a project. */
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

const underWay = ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'scheduled'];

/** The jobs of a user that are not over and wait for no hand, beyond a number. */
export async function jobsUnderWay(db: Reader, userId: number, beyond: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', [...underWay, 'running', 'canceling'])
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(atOnce)
    .execute();
  return rows.map(({ id }) => id);
}
