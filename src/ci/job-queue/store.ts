import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { RunnerRow } from '../runners/public.ts';
import type { PendingJobsTable } from './tables.ts';

/** So many jobs are looked at for one request. */
export const maxCandidates = 45;
export const maxTagSets = 1000;

export async function addPending(trx: Writer, row: PendingJobsTable): Promise<void> {
  await trx
    .insertInto('pending_jobs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes a job out of the queue; false where somebody else has. */
export async function removePending(trx: Writer, jobId: number): Promise<boolean> {
  const result = await trx.deleteFrom('pending_jobs').where('job_id', '=', jobId).executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Remembers which kinds of runners a project lets have its jobs. */
export async function setRunnerKinds(
  trx: Writer,
  projectId: number,
  kinds: Pick<PendingJobsTable, 'instance_runners' | 'group_runners'>,
): Promise<void> {
  await trx.updateTable('pending_jobs').set(kinds).where('project_id', '=', projectId).execute();
}

/** Runners of the instance may not have a job for now. */
export async function keepFromInstance(trx: Writer, jobId: number): Promise<void> {
  await trx.updateTable('pending_jobs').set({ instance_runners: 0 }).where('job_id', '=', jobId).execute();
}

/** Some of the projects with jobs that runners of the instance may not have, in the order of their numbers. */
export async function keptProjects(db: Reader, beyond: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pending_jobs')
    .select('project_id')
    .distinct()
    .where('instance_runners', '=', 0)
    .where('project_id', '>', beyond)
    .orderBy('project_id')
    .limit(100)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** Some of the projects below a group, in the order of their numbers. */
export async function projectsBelow(db: Reader, groupId: number, beyond: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('a.ancestor_id', '=', groupId)
    .where('projects.id', '>', beyond)
    .orderBy('projects.id')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** The lists of tags that waiting jobs ask for. */
export async function waitingTagSets(db: Reader): Promise<string[]> {
  // From list to list along an index: most jobs that wait ask for the same.
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

/** The jobs that a runner may have, those it should have first in front; everything that waits is looked through. */
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
    // Fair among projects: the one with the fewest jobs on such runners comes first.
    // Counted once a project, not once a job: many jobs of few projects wait.
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

/** The first of the jobs of each project that wait for runners of the instance, fair as above. */
export async function firstOfProjects(db: Reader): Promise<{ project_id: number; job_id: number }[]> {
  // From project to project along an index, however many jobs each has waiting.
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

const further = statement((db, param: Param<{ project: number; beyond: number }>) =>
  db
    .selectFrom('pending_jobs')
    .select('job_id')
    .where('instance_runners', '=', 1)
    .where('project_id', '=', param('project'))
    .where('job_id', '>', param('beyond'))
    .orderBy('job_id')
    .limit(maxCandidates),
);

/** The jobs of a project that wait for runners of the instance behind one of them. */
export async function furtherOf(db: Reader, project: number, beyond: number): Promise<number[]> {
  return (await further.all(db, { project, beyond })).map(({ job_id }) => job_id);
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

/** How many jobs of a project are on runners of the instance. */
export async function runningOnInstance(db: Reader, project: number): Promise<number> {
  return Number((await running.first(db, { project }))?.count ?? 0);
}
