import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import './tables.ts';

/** Size of the hierarchy below a root pipeline, including it. Stops counting at the limit. */
export async function countFamily(db: Reader, rootId: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive family (id) as (
      select pipelines.id from pipelines where pipelines.id = ${rootId}
      union all
      select pipelines.id from family join pipelines on pipelines.parent_id = family.id
    )
    select count(*) as count from (select 1 as one from family limit +${limit}) as counted`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Child pipelines that have not completed. */
export function openChildren(db: Reader, pipelineId: number): Promise<PipelineRow[]> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('parent_id', '=', pipelineId)
    .where('source', '=', 'parent_pipeline')
    .where('status', 'not in', ['success', 'failed', 'canceled', 'skipped'])
    .orderBy('id')
    .execute();
}

/** Records the pipeline that a bridge mirrors. */
export async function insertMirrored(trx: Writer, jobId: number, pipelineId: number): Promise<void> {
  await trx.insertInto('mirrored_pipelines').values({ job_id: jobId, pipeline_id: pipelineId }).execute();
}

/** IDs of the bridges that mirror a pipeline. */
export async function mirrorsOf(db: Reader, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('mirrored_pipelines')
    .select('job_id')
    .where('pipeline_id', '=', pipelineId)
    .orderBy('job_id')
    .execute();
  return rows.map(({ job_id }) => job_id);
}
