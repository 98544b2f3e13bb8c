import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { RunnerRow } from '../runners/public.ts';
import type { PendingJobsTable } from './tables.ts';

/** So many jobs are looked at for one request. */
const mostCandidates = 45;
const mostTagSets = 1000;

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

const tagSets = statement((db) =>
  db.selectFrom('pending_jobs').select('tag_list').distinct().orderBy('tag_list').limit(mostTagSets),
);

/** The lists of tags that waiting jobs ask for. */
export async function waitingTagSets(db: Reader): Promise<string[]> {
  return (await tagSets.all(db, {})).map(({ tag_list }) => tag_list);
}

/** The jobs that a runner may have, those it should have first in front. */
export async function candidatesFor(db: Reader, runner: RunnerRow, tags: readonly string[]): Promise<number[]> {
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
  const rows = await query.orderBy('q.job_id').limit(mostCandidates).execute();
  return rows.map(({ job_id }) => job_id);
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
