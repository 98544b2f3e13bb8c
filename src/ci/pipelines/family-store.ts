import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { PipelineRow } from './tables.ts';

/** A pipeline and those that it came of, the nearest first; of no more than so many. */
export async function pipelinesAbove(db: Reader, id: number, most: number): Promise<PipelineRow[]> {
  const { rows } = await sql<PipelineRow>`
    with recursive above (id, level) as (
      select pipelines.id, 0 from pipelines where pipelines.id = ${id}
      union all
      select pipelines.parent_id, above.level + 1 from above
        join pipelines on pipelines.id = above.id
        where pipelines.parent_id is not null and above.level < ${most}
    )
    select pipelines.* from above join pipelines on pipelines.id = above.id order by above.level`.execute(db);
  return rows;
}

/** Children lie in one another no deeper than this. */
const maxGenerations = 10;

/** The pipeline at the head of a family of parents and children; those of other projects are families of their own. */
export async function headOfFamily(db: Reader, id: number): Promise<PipelineRow | undefined> {
  const above = await pipelinesAbove(db, id, maxGenerations);
  return above.find(({ source }) => source !== 'parent_pipeline') ?? above.at(-1);
}

/** The newest pipelines of a ref, whatever became of them. */
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
