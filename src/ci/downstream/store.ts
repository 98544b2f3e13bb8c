import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { PipelineRow } from '../pipelines/public.ts';

/** How many pipelines came of one, itself included, counted no further than a limit. */
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

/** The child pipelines of a pipeline that are not over. */
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
