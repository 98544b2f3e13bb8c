import type { Reader } from '../../platform/database/database.ts';

/** The newest pipeline of a ref, ignoring child pipelines. */
export function newestPipeline(db: Reader, projectId: number, ref: string, ignoreSkipped: boolean) {
  let query = db
    .selectFrom('pipelines')
    .select(['id', 'status'])
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('source', '!=', 'parent_pipeline');
  if (ignoreSkipped) query = query.where('status', '!=', 'skipped');
  return query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The coverage of the newest successful pipeline of a ref, or of one job in it. */
export async function newestCoverage(
  db: Reader,
  projectId: number,
  ref: string,
  job: string | undefined,
): Promise<number | null> {
  const pipeline = await db
    .selectFrom('pipelines')
    .select(['id', 'coverage'])
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('source', '!=', 'parent_pipeline')
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!pipeline || job === undefined) return pipeline?.coverage ?? null;
  const row = await db
    .selectFrom('ci_jobs')
    .select('coverage')
    .where('pipeline_id', '=', pipeline.id)
    .where('name', '=', job)
    .where('retried', '=', 0)
    .executeTakeFirst();
  return row?.coverage ?? null;
}

/** The tag of the newest release, ignoring upcoming ones. */
export async function newestRelease(db: Reader, projectId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('releases')
    .select('tag')
    .where('project_id', '=', projectId)
    .where('released_at', '<=', Date.now())
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.tag;
}
