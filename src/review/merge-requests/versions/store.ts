import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { newestPipeline } from '../pipelines/store.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow, VersionRow } from '../tables.ts';
import type { VersionContent } from './collect.ts';

const maxVersions = 1000;
const insertBatchSize = 500;

/** Stores a new version as the current one; above the maximum number of versions, only the merge request is updated. */
export async function addVersion(
  trx: Writer,
  { id }: Pick<MergeRequestRow, 'id'>,
  { head, base, start, commits, files, state, patchId }: VersionContent,
  createdAt = Date.now(),
): Promise<MergeRequestRow> {
  const counted = trx.selectFrom('merge_request_versions').where('merge_request_id', '=', id);
  const { versions } = await counted.select((eb) => eb.fn.countAll<number>().as('versions')).executeTakeFirstOrThrow();
  if (Number(versions) < maxVersions) {
    await trx
      .insertInto('merge_request_versions')
      .values({
        merge_request_id: id,
        head_sha: head,
        base_sha: base,
        start_sha: start,
        state,
        real_size: files,
        patch_id_sha: patchId,
        commits_count: commits.length,
        created_at: createdAt,
      })
      .execute();
  }
  await trx.deleteFrom('merge_request_commits').where('merge_request_id', '=', id).execute();
  for (let at = 0; at < commits.length; at += insertBatchSize) {
    const rows = commits.slice(at, at + insertBatchSize).map((sha) => ({ merge_request_id: id, sha }));
    await trx
      .insertInto('merge_request_commits')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const renewed = await updateRequest(trx, id, {
    head_sha: head,
    base_sha: base,
    start_sha: start,
    changes_count: files,
  });
  return updateRequest(trx, id, { head_pipeline_id: await newestPipeline(trx, renewed) });
}

const newestVersion = statement((db, param: Param<{ id: number }>) =>
  db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', param('id'))
    .orderBy('id', 'desc')
    .limit(1),
);

const versionsOf = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', param('id')).orderBy('id', 'desc'),
);

/** Up to a thousand versions of a merge request, newest first. */
export function listVersions(db: Reader, id: number): Promise<VersionRow[]> {
  return versionsOf.all(db, { id });
}

/** Whether a new version changes the same lines as the current one, such as after a rebase onto a new target. */
export async function isSamePatch(
  trx: Writer,
  { id, head_sha, base_sha }: Pick<MergeRequestRow, 'id' | 'head_sha' | 'base_sha'>,
  { patchId }: Pick<VersionContent, 'patchId'>,
): Promise<boolean> {
  const newest = await newestVersion.first(trx, { id });
  // Above the maximum number of versions, the newest stored one is not the current one.
  const current = newest?.head_sha === head_sha && newest.base_sha === base_sha;
  return current && patchId !== null && newest.patch_id_sha === patchId;
}

/** Marks the older versions of a merged request as having no files any more. */
export async function markOldFilesRemoved(trx: Writer, id: number): Promise<void> {
  const newest = trx.selectFrom('merge_request_versions').where('merge_request_id', '=', id);
  await trx
    .updateTable('merge_request_versions')
    .set({ state: 'without_files' })
    .where('merge_request_id', '=', id)
    .where('id', '<', (eb) =>
      eb.selectFrom(newest.select((inner) => inner.fn.max('id').as('id')).as('n')).select('n.id'),
    )
    .execute();
}
