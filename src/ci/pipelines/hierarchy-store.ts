import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { PipelineRow } from './tables.ts';

/** A pipeline followed by up to `limit` ancestors, nearest first. */
export async function withAncestors(db: Reader, id: number, limit: number): Promise<PipelineRow[]> {
  const { rows } = await sql<PipelineRow>`
    with recursive above (id, level) as (
      select pipelines.id, 0 from pipelines where pipelines.id = ${id}
      union all
      select pipelines.parent_id, above.level + 1 from above
        join pipelines on pipelines.id = above.id
        where pipelines.parent_id is not null and above.level < ${limit}
    )
    select pipelines.* from above join pipelines on pipelines.id = above.id order by above.level`.execute(db);
  return rows;
}

/** Maximum nesting depth of child pipelines. */
const maxGenerations = 10;

/** The root of a hierarchy of parent and child pipelines. Multi-project pipelines form separate hierarchies. */
export async function rootPipeline(db: Reader, id: number): Promise<PipelineRow | undefined> {
  const ancestors = await withAncestors(db, id, maxGenerations);
  return ancestors.find(({ source }) => source !== 'parent_pipeline') ?? ancestors.at(-1);
}

/** The newest pipelines of a ref in any status. */
export function recentPipelines(db: Reader, projectId: number, ref: string, limit: number): Promise<PipelineRow[]> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
