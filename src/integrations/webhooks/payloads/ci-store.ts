import type { CiJobRow } from '../../../ci/jobs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';

/** The jobs of a pipeline, those left out that were retried; no more than a payload has use for. */
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

/** How often a job was tried before. */
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

/** What payloads tell of runners. */
export async function runnersById(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runners')
    .select(['id', 'description', 'runner_type', 'paused', 'tag_list'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
