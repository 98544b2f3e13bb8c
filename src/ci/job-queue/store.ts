import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { RunnerRow } from '../runners/public.ts';
import type { PendingJobsTable } from './tables.ts';

/** Maximum number of candidates per request. */
export const maxCandidates = 45;
export const maxTagSets = 1000;

export async function addPending(trx: Writer, row: PendingJobsTable): Promise<void> {
  await trx
    .insertInto('pending_jobs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a job from the queue; false when it was not queued. */
export async function removePending(trx: Writer, jobId: number): Promise<boolean> {
  const result = await trx.deleteFrom('pending_jobs').where('job_id', '=', jobId).executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Updates the accepted runner types of a project's queued jobs. */
export async function setRunnerKinds(
  trx: Writer,
  projectId: number,
  kinds: Pick<PendingJobsTable, 'instance_runners' | 'group_runners'>,
): Promise<void> {
  await trx.updateTable('pending_jobs').set(kinds).where('project_id', '=', projectId).execute();
}

/** Withholds a job from instance runners. */
export async function withholdFromInstance(trx: Writer, jobId: number): Promise<void> {
  await trx.updateTable('pending_jobs').set({ instance_runners: 0 }).where('job_id', '=', jobId).execute();
}

/** The next batch of projects with jobs withheld from instance runners, by ID. */
export async function withheldProjects(db: Reader, afterId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pending_jobs')
    .select('project_id')
    .distinct()
    .where('instance_runners', '=', 0)
    .where('project_id', '>', afterId)
    .orderBy('project_id')
    .limit(100)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** The next batch of projects below a group, by ID. */
export async function projectsBelow(db: Reader, groupId: number, afterId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('a.ancestor_id', '=', groupId)
    .where('projects.id', '>', afterId)
    .orderBy('projects.id')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** The distinct tag lists of pending jobs. */
export async function waitingTagSets(db: Reader): Promise<string[]> {
  // Loose index scan: most pending jobs have the same tags.
  const { rows } = await sql<{ tag_list: string }>`
    with recursive sets (tag_list) as (
      select min(q.tag_list) from pending_jobs q
      union all
      select (select min(q.tag_list) from pending_jobs q where q.tag_list > sets.tag_list)
      from sets where sets.tag_list is not null
    )
    select sets.tag_list from sets where sets.tag_list is not null limit ${maxTagSets}`.execute(db);
  return rows.map(({ tag_list }) => tag_list);
}

/** The jobs that a runner may take, by priority. Scans all matching pending jobs. */
export async function jobsFor(db: Reader, runner: RunnerRow, tags: readonly string[]): Promise<number[]> {
  if (tags.length === 0) return [];
  let query = db.selectFrom('pending_jobs as q').select('q.job_id').where('q.tag_list', 'in', tags);
  if (runner.access_level === 'ref_protected') query = query.where('q.protected', '=', 1);
  if (runner.runner_type === 'project_type') {
    query = query.where(
      sql<SqlBool>`q.project_id in (select rp.project_id from runner_projects rp where rp.runner_id = ${runner.id})`,
    );
  } else if (runner.runner_type === 'group_type') {
    query = query.where('q.group_runners', '=', 1).where(
      sql<SqlBool>`q.project_id in (select p.id from projects p
        join namespace_ancestors a on a.namespace_id = p.namespace_id where a.ancestor_id = ${runner.namespace_id})`,
    );
  } else {
    // Fair scheduling: the project with the fewest running jobs on instance runners comes first. Counted once per
    // project rather than per job, because few projects queue many jobs.
    const busy = db
      .selectFrom('ci_jobs as j')
      .innerJoin('runners as r', 'r.id', 'j.runner_id')
      .select((eb) => ['j.project_id', eb.fn.countAll<number>().as('jobs')])
      .where(sql<SqlBool>`j.status in ('running', 'canceling')`)
      .where('r.runner_type', '=', 'instance_type')
      .groupBy('j.project_id')
      .as('busy');
    query = query
      .leftJoin(busy, 'busy.project_id', 'q.project_id')
      .where('q.instance_runners', '=', 1)
      .orderBy(sql`coalesce(busy.jobs, 0)`);
  }
  const rows = await query.orderBy('q.job_id').limit(maxCandidates).execute();
  return rows.map(({ job_id }) => job_id);
}

/** The oldest pending job of each project for instance runners, in the same fair order. */
export async function firstOfProjects(db: Reader): Promise<{ project_id: number; job_id: number }[]> {
  // Loose index scan over projects, independent of the number of jobs queued in each.
  const { rows } = await sql<{ project_id: number; job_id: number }>`
    with recursive waiting (project_id) as (
      select min(q.project_id) from pending_jobs q where q.instance_runners = 1
      union all
      select (select min(q.project_id) from pending_jobs q
        where q.instance_runners = 1 and q.project_id > waiting.project_id)
      from waiting where waiting.project_id is not null
    ), busy as (
      select j.project_id, count(*) as jobs from ci_jobs j join runners r on r.id = j.runner_id
      where j.status in ('running', 'canceling') and r.runner_type = 'instance_type'
      group by j.project_id
    ), first as (
      select waiting.project_id, (select min(q.job_id) from pending_jobs q
        where q.instance_runners = 1 and q.project_id = waiting.project_id) as job_id
      from waiting where waiting.project_id is not null
    )
    select first.project_id, first.job_id from first left join busy on busy.project_id = first.project_id
    order by coalesce(busy.jobs, 0), first.job_id limit ${maxCandidates}`.execute(db);
  return rows;
}

const nextJobs = statement((db, param: Param<{ project: number; afterId: number }>) =>
  db
    .selectFrom('pending_jobs')
    .select('job_id')
    .where('instance_runners', '=', 1)
    .where('project_id', '=', param('project'))
    .where('job_id', '>', param('afterId'))
    .orderBy('job_id')
    .limit(maxCandidates),
);

/** Pending jobs of a project for instance runners, after the given job. */
export async function nextOfProject(db: Reader, project: number, afterId: number): Promise<number[]> {
  return (await nextJobs.all(db, { project, afterId })).map(({ job_id }) => job_id);
}

const running = statement((db, param: Param<{ project: number }>) =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('runners as r', 'r.id', 'j.runner_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('j.project_id', '=', param('project'))
    .where('j.status', 'in', ['running', 'canceling'])
    .where('r.runner_type', '=', 'instance_type'),
);

/** Number of running jobs of a project on instance runners. */
export async function runningOnInstance(db: Reader, project: number): Promise<number> {
  return Number((await running.first(db, { project }))?.count ?? 0);
}
