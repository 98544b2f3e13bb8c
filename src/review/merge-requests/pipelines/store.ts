import { sql } from 'kysely';
import type { PipelineRow } from '../../../ci/pipelines/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Merge train pipelines test the merge request together with others, so they do not count as its head pipeline. */
export function runsOnTrain({ merge_request_id, ref }: Pick<PipelineRow, 'merge_request_id' | 'ref'>): boolean {
  return merge_request_id !== null && ref.endsWith('/train');
}

/** Sets a pipeline as head pipeline of the merge requests whose head it runs on, unless they have a newer one. */
export async function linkPipeline(trx: Writer, pipeline: PipelineRow): Promise<MergeRequestRow[]> {
  if (pipeline.tag === 1 || pipeline.parent_id !== null || runsOnTrain(pipeline)) return [];
  const rows = trx
    .updateTable('merge_requests')
    .set({ head_pipeline_id: pipeline.id })
    .where('head_sha', '=', pipeline.source_sha ?? pipeline.sha)
    .where('state', '=', 'opened')
    .where(sql<boolean>`coalesce(head_pipeline_id, 0) <= ${pipeline.id}`);
  if (pipeline.merge_request_id !== null) {
    return rows.where('id', '=', pipeline.merge_request_id).returningAll().execute();
  }
  return rows
    .where('source_project_id', '=', pipeline.project_id)
    .where('source_branch', '=', pipeline.ref)
    .returningAll()
    .execute();
}

/** The newest pipeline of a head that already existed before the merge request or its version. */
export async function newestPipeline(
  trx: Writer,
  { id, source_project_id, source_branch, head_sha }: MergeRequestRow,
): Promise<number | null> {
  if (head_sha === null) return null;
  const ofHead = trx
    .selectFrom('pipelines')
    .select('id')
    .where('sha', '=', head_sha)
    .where('source', '!=', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(1);
  const [own, ofBranch] = await Promise.all([
    ofHead.where('merge_request_id', '=', id).executeTakeFirst(),
    ofHead
      .where('project_id', '=', source_project_id ?? 0)
      .where('ref', '=', source_branch)
      .where('tag', '=', 0)
      .executeTakeFirst(),
  ]);
  return Math.max(own?.id ?? 0, ofBranch?.id ?? 0) || null;
}

/** Returns a page of the pipelines of a merge request, and of its source branch for its commits, in these projects. */
export function pipelinesPage(
  db: Reader,
  { id, source_project_id, source_branch }: MergeRequestRow,
  projectIds: readonly number[],
  slice: Slice,
): Promise<{ rows: PipelineRow[]; total: number }> {
  const commits = db.selectFrom('merge_request_commits').select('sha').where('merge_request_id', '=', id);
  const query = db
    .selectFrom('pipelines')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('merge_request_id', '=', id),
        eb.and([
          eb('project_id', '=', source_project_id ?? 0),
          eb('ref', '=', source_branch),
          eb('tag', '=', 0),
          eb('sha', 'in', commits),
        ]),
      ]),
    )
    .where('project_id', 'in', projectIds)
    // Child pipelines are shown in their parent.
    .where('source', '!=', 'parent_pipeline')
    .orderBy('id', 'desc');
  return fetchPage(db, query, slice);
}
