import type { CiJobRow } from '../../../ci/jobs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';

/** Returns up to `limit` jobs of a pipeline, without retried ones. */
export function jobsOfPipeline(db: Reader, pipelineId: number, limit: number): Promise<CiJobRow[]> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('stage_index')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns how often a job was retried. */
export async function retriesOf(db: Reader, { pipeline_id, name, id }: CiJobRow): Promise<number> {
  const { count } = await db
    .selectFrom('ci_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('id', '<', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the attributes of runners that payloads contain. */
export async function runnersById(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runners')
    .select(['id', 'description', 'runner_type', 'paused', 'tag_list'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
