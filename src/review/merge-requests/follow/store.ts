import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { CheckResult } from '../mergeability/check.ts';
import type { MergeRequestRow } from '../tables.ts';

/** The merge status after a branch has moved: the previous result is no longer valid. */
const invalidated = sql<MergeRequestRow['merge_status']>`case
  when merge_status in ('preparing', 'can_be_merged', 'checking') then 'unchecked'
  when merge_status in ('cannot_be_merged', 'cannot_be_merged_rechecking') then 'cannot_be_merged_recheck'
  else merge_status end`;

/**
 * Invalidates the merge status of merge requests from a branch that has moved, including those being merged; returns
 * them.
 */
export async function invalidateFrom(
  trx: Writer,
  source: number,
  branch: string,
  pusher: number | null,
): Promise<MergeRequestRow[]> {
  return trx
    .updateTable('merge_requests')
    .set({ merge_status: invalidated, source_pushed_by_id: pusher })
    .where('source_project_id', '=', source)
    .where('source_branch', '=', branch)
    .where('state', 'in', ['opened', 'locked'])
    .returningAll()
    .execute();
}

/** Invalidates the merge status of merge requests into a branch that has moved; returns whether there are any. */
export async function invalidateInto(trx: Writer, project: number, branch: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('merge_requests')
    .set({ merge_status: invalidated })
    .where('project_id', '=', project)
    .where('target_branch', '=', branch)
    .where('state', '=', 'opened')
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

const openInto = statement((db, param: Param<{ project: number; branch: string; after: number; limit: number }>) =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('target_branch', '=', param('branch'))
    .where('state', '=', 'opened')
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(param('limit')),
);

/** Returns a batch of open merge requests into a branch, by ID. */
export function openIntoAfter(
  db: Reader,
  project: number,
  branch: string,
  after: number,
  limit: number,
): Promise<MergeRequestRow[]> {
  return openInto.all(db, { project, branch, after, limit });
}

/** The merge requests of a project with other projects: those from it, or those into it. */
const openWithOthers = (own: 'source_project_id' | 'project_id', other: 'source_project_id' | 'project_id') =>
  statement((db, param: Param<{ project: number; after: number; limit: number }>) =>
    db
      .selectFrom('merge_requests')
      .selectAll()
      .where(own, '=', param('project'))
      .where(other, '<>', param('project'))
      .where('state', '=', 'opened')
      .where('id', '>', param('after'))
      .orderBy('id')
      .limit(param('limit')),
  );
const openAcross = {
  from: openWithOthers('source_project_id', 'project_id'),
  into: openWithOthers('project_id', 'source_project_id'),
};

/** Returns a batch of open merge requests from a project into others, or from others into it, by ID. */
export function openAcrossAfter(
  db: Reader,
  direction: 'from' | 'into',
  project: number,
  after: number,
  limit: number,
): Promise<MergeRequestRow[]> {
  return openAcross[direction].all(db, { project, after, limit });
}

/** Stores the result of a mergeability check; returns whether the row still has the state that was checked. */
export async function storeCheckResult(trx: Writer, request: MergeRequestRow, checked: CheckResult): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('merge_requests')
    .set(checked)
    .where('id', '=', request.id)
    .where('state', '=', 'opened')
    .where('target_branch', '=', request.target_branch)
    .where('head_sha', '=', request.head_sha)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/**
 * The merge request whose merge produces this tip of the branch, even if another process considers that merge
 * abandoned.
 */
export async function requestByLandedSha(
  trx: Writer,
  project: number,
  branch: string,
  tip: string,
): Promise<MergeRequestRow | undefined> {
  return trx
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', project)
    .where('target_branch', '=', branch)
    .where('state', 'in', ['locked', 'opened'])
    .where('landed_sha', '=', tip)
    .executeTakeFirst();
}

/** Merge requests whose merge was interrupted by a server stop. */
export async function lockedRequests(db: Reader): Promise<MergeRequestRow[]> {
  return db.selectFrom('merge_requests').selectAll().where('state', '=', 'locked').orderBy('id').limit(1000).execute();
}

const over = statement((db, param: Param<{ before: number; after: number; limit: number }>) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'project_id'])
    .where('refs_cleaned', '=', 0)
    .where('state', 'in', ['closed', 'merged'])
    .where((eb) => eb(eb.fn.coalesce('merged_at', 'closed_at', 'updated_at'), '<', param('before')))
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(param('limit')),
);

/** Returns a batch of merge requests that were closed or merged before a time and still have refs. */
export function withOldRefs(db: Reader, before: number, after: number, limit: number) {
  return over.all(db, { before, after, limit });
}

export async function markRefsCleaned(trx: Writer, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // A merge request that was reopened in the meantime has new refs, or is about to get them.
  await trx
    .updateTable('merge_requests')
    .set({ refs_cleaned: 1 })
    .where('id', 'in', [...ids])
    .where('state', 'in', ['closed', 'merged'])
    .execute();
}
