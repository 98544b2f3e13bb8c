import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { CiJobRow } from '../jobs/public.ts';
import type { ProcessMode, ResourceGroupRow } from './tables.ts';

export function listGroups(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('resource_groups').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function groupByKey(db: Reader, projectId: number, key: string): Promise<ResourceGroupRow | undefined> {
  return db
    .selectFrom('resource_groups')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function ensureGroup(
  trx: Writer,
  projectId: number,
  key: string,
  mode: ProcessMode,
): Promise<ResourceGroupRow> {
  const now = Date.now();
  const existing = await groupByKey(trx, projectId, key);
  if (existing) return existing;
  await trx
    .insertInto('resource_groups')
    .values({ project_id: projectId, key, process_mode: mode, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const added = await groupByKey(trx, projectId, key);
  if (!added) throw new Error(`the resource group ${key} was not added`);
  return added;
}

export function lockGroup(trx: Writer, id: number): Promise<ResourceGroupRow | undefined> {
  return lockRow(trx, 'resource_groups', id);
}

export function updateGroup(trx: Writer, id: number, process_mode: ProcessMode): Promise<ResourceGroupRow> {
  return trx
    .updateTable('resource_groups')
    .set({ process_mode, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function addWaiting(trx: Writer, groupId: number, jobId: number): Promise<void> {
  await trx
    .insertInto('resource_group_jobs')
    .values({ job_id: jobId, resource_group_id: groupId, holds: 0 })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ resource_group_id: groupId, holds: 0 }))
    .execute();
}

export async function setHolder(trx: Writer, jobId: number): Promise<void> {
  await trx.updateTable('resource_group_jobs').set({ holds: 1 }).where('job_id', '=', jobId).execute();
}

/** Removes a job from its group. Returns the ID of the group, if any. */
export async function leaveGroup(trx: Writer, jobId: number): Promise<number | undefined> {
  const row = await trx
    .deleteFrom('resource_group_jobs')
    .where('job_id', '=', jobId)
    .returning('resource_group_id')
    .executeTakeFirst();
  return row?.resource_group_id;
}

/** The job that holds the resource. */
export function holderOf(db: Reader, groupId: number): Promise<CiJobRow | undefined> {
  return db
    .selectFrom('resource_group_jobs as r')
    .innerJoin('ci_jobs as j', 'j.id', 'r.job_id')
    .selectAll('j')
    .where('r.resource_group_id', '=', groupId)
    .where('r.holds', '=', 1)
    .executeTakeFirst();
}

/**
 * The waiting jobs in the order of the process mode. When the order of pipelines matters, jobs that are not ready are
 * included, after the ready ones of the same pipeline.
 */
export function upcomingOf(db: Reader, { id, process_mode }: ResourceGroupRow) {
  const newest = process_mode === 'newest_first' || process_mode === 'newest_ready_first';
  const readyOnly = process_mode === 'unordered' || process_mode === 'newest_ready_first';
  return db
    .selectFrom('resource_group_jobs as r')
    .innerJoin('ci_jobs as j', 'j.id', 'r.job_id')
    .selectAll('j')
    .where('r.resource_group_id', '=', id)
    .where('r.holds', '=', 0)
    .where('j.status', 'in', readyOnly ? ['waiting_for_resource'] : ['created', 'scheduled', 'waiting_for_resource'])
    .orderBy('j.pipeline_id', newest ? 'desc' : 'asc')
    .orderBy(sql`case j.status when 'waiting_for_resource' then 0 else 1 end`)
    .orderBy('j.id', newest ? 'desc' : 'asc');
}

export function firstUpcoming(db: Reader, group: ResourceGroupRow): Promise<CiJobRow | undefined> {
  return upcomingOf(db, group).limit(1).executeTakeFirst();
}

export function listUpcoming(db: Reader, group: ResourceGroupRow, slice: Slice) {
  return fetchPage(db, upcomingOf(db, group), slice);
}

/** Resource groups used by the jobs of a pipeline. */
export async function groupsOfPipeline(db: Reader, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_jobs as j')
    .innerJoin('resource_group_jobs as r', 'r.job_id', 'j.id')
    .select('r.resource_group_id')
    .distinct()
    .where('j.pipeline_id', '=', pipelineId)
    .execute();
  return rows.map(({ resource_group_id }) => resource_group_id);
}
