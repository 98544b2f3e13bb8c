import { type Insertable, sql, type Updateable } from 'kysely';
import type { Vote } from '../../planning/award-emoji/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import {
  type ApprovalRow,
  type MergeRequestRow,
  type MergeRequestsTable,
  type ReviewerRow,
  type ReviewState,
  reviewStates,
} from './tables.ts';

const byIid = statement((db, param: Param<{ project: number; iid: number }>) =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('iid', '=', param('iid')),
);
const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('merge_requests').selectAll().where('id', 'in', param.ids('ids')),
);

export function findRequest(db: Reader, project: number, iid: number): Promise<MergeRequestRow | undefined> {
  return byIid.first(db, { project, iid });
}

export async function requestsById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, MergeRequestRow>> {
  const rows = ids.length === 0 ? [] : await byIds.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}

export async function requestById(db: Reader, id: number): Promise<MergeRequestRow | undefined> {
  return (await requestsById(db, [id])).get(id);
}

export function insertRequest(trx: Writer, row: Insertable<MergeRequestsTable>): Promise<MergeRequestRow> {
  return trx.insertInto('merge_requests').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRequest(
  trx: Writer,
  id: number,
  change: Updateable<MergeRequestsTable>,
): Promise<MergeRequestRow> {
  return trx.updateTable('merge_requests').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRequest(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('merge_requests').where('id', '=', id).execute();
}

const opened = statement((db, param: Param<{ source: number; branch: string }>) =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', param('source'))
    .where('source_branch', '=', param('branch'))
    .where('state', '=', 'opened')
    .orderBy('id', 'desc')
    .limit(1000),
);

/** Open merge requests from a branch, newest first. */
export function openFrom(db: Reader, source: number, branch: string): Promise<MergeRequestRow[]> {
  return opened.all(db, { source, branch });
}

const openedInto = statement((db, param: Param<{ project: number; branch: string }>) =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('target_branch', '=', param('branch'))
    .where('state', '=', 'opened')
    .orderBy('id')
    .limit(10_000),
);

/** Open merge requests into a branch. */
export function openInto(db: Reader, project: number, branch: string): Promise<MergeRequestRow[]> {
  return openedInto.all(db, { project, branch });
}

const projectPaths = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.path', 'projects.settings', 'namespaces.full_path', 'projects.namespace_id'])
    .where('projects.id', 'in', param.ids('ids')),
);

/** Paths and settings of projects by ID. */
export async function projectPathsOf(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await projectPaths.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, { ...row, path: `${row.full_path}/${row.path}` }]));
}

const assigneesOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_assignees')
    .select(['merge_request_id', 'user_id'])
    .where('merge_request_id', 'in', param.ids('ids'))
    .orderBy('user_id'),
);

/** Assignee IDs by merge request ID. */
export async function assigneeIds(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = ids.length === 0 ? [] : await assigneesOf.all(db, { ids });
  return grouped(rows, ({ user_id }) => user_id);
}

const reviewersOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_reviewers')
    .selectAll()
    .where('merge_request_id', 'in', param.ids('ids'))
    .orderBy('created_at')
    .orderBy('user_id'),
);

/** Reviewers by merge request ID. */
export async function reviewers(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ReviewerRow[]>> {
  const rows = ids.length === 0 ? [] : await reviewersOf.all(db, { ids });
  return grouped(rows, (row) => row);
}

const approvalsOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_approvals')
    .selectAll()
    .where('merge_request_id', 'in', param.ids('ids'))
    .orderBy('created_at')
    .orderBy('user_id'),
);

/** Approvals by merge request ID. */
export async function approvals(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ApprovalRow[]>> {
  const rows = ids.length === 0 ? [] : await approvalsOf.all(db, { ids });
  return grouped(rows, (row) => row);
}

const labelsOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_labels')
    .select(['merge_request_id', 'label_id'])
    .where('merge_request_id', 'in', param.ids('ids')),
);

/** Label IDs by merge request ID. */
export async function labelIds(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = ids.length === 0 ? [] : await labelsOf.all(db, { ids });
  return grouped(rows, ({ label_id }) => label_id);
}

const noState = sql<ReviewState>`'unreviewed'`;

const hanging = statement((db, param: Param<{ id: number }>) =>
  db
    .selectFrom('merge_request_assignees as a')
    .select(['a.user_id as id', sql<string>`'assignee'`.as('kind'), sql<number>`0`.as('at'), noState.as('state')])
    .where('a.merge_request_id', '=', param('id'))
    .unionAll((eb) =>
      eb
        .selectFrom('merge_request_reviewers as r')
        .select(['r.user_id as id', sql<string>`'reviewer'`.as('kind'), 'r.created_at as at', 'r.state as state'])
        .where('r.merge_request_id', '=', param('id')),
    )
    .unionAll((eb) =>
      eb
        .selectFrom('merge_request_labels as l')
        .select(['l.label_id as id', sql<string>`'label'`.as('kind'), sql<number>`0`.as('at'), noState.as('state')])
        .where('l.merge_request_id', '=', param('id')),
    )
    .orderBy('at')
    .orderBy('id'),
);

/** Assignees, reviewers and labels of one merge request, in a single query because every update needs them. */
export async function relatedIdsOf(db: Reader, id: number) {
  const rows = await hanging.all(db, { id });
  const ids = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.id);
  const reviewers = rows.filter((row) => row.kind === 'reviewer');
  return {
    assigneeIds: ids('assignee'),
    reviewerIds: reviewers.map((row) => row.id),
    reviewStates: new Map(reviewers.map((row) => [row.id, row.state])),
    labelIds: ids('label'),
  };
}

function grouped<R extends { merge_request_id: number }, V>(
  rows: readonly R[],
  value: (row: R) => V,
): ReadonlyMap<number, V[]> {
  const groups = Map.groupBy(rows, ({ merge_request_id }) => merge_request_id);
  return new Map([...groups].map(([id, group]) => [id, group.map(value)]));
}

const toBeMerged = statement((db, param: Param<{ project: number }>) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'auto_merge', 'merge_after'])
    .where('project_id', '=', param('project'))
    .where('state', '=', sql.lit('opened'))
    .where('auto_merge', '=', sql.lit(1))
    .orderBy('id'),
);

/** Merge requests of a target project with auto-merge enabled. */
export const autoMergeRequests = (db: Reader, project: number) => toBeMerged.all(db, { project });

export async function addAssignees(trx: Writer, id: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await trx
    .insertInto('merge_request_assignees')
    .values(userIds.map((user_id) => ({ merge_request_id: id, user_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeAssignees(trx: Writer, id: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const rows = trx.deleteFrom('merge_request_assignees').where('merge_request_id', '=', id);
  await rows.where('user_id', 'in', userIds).execute();
}

export async function addReviewers(trx: Writer, id: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const created_at = Date.now();
  await trx
    .insertInto('merge_request_reviewers')
    .values(userIds.map((user_id) => ({ merge_request_id: id, user_id, created_at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeReviewers(trx: Writer, id: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const rows = trx.deleteFrom('merge_request_reviewers').where('merge_request_id', '=', id);
  await rows.where('user_id', 'in', userIds).execute();
}

/** Sets the review state of a reviewer, optionally only if the current state is one of `from`. */
export async function setReviewState(
  trx: Writer,
  id: number,
  userId: number,
  state: ReviewState,
  { from = reviewStates }: { readonly from?: readonly ReviewState[] } = {},
): Promise<void> {
  const rows = trx.updateTable('merge_request_reviewers').set({ state }).where('state', 'in', from);
  await rows.where('merge_request_id', '=', id).where('user_id', '=', userId).execute();
}

export async function addLabels(trx: Writer, id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .insertInto('merge_request_labels')
    .values(ids.map((label_id) => ({ merge_request_id: id, label_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeLabels(trx: Writer, id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = trx.deleteFrom('merge_request_labels').where('merge_request_id', '=', id);
  await rows.where('label_id', 'in', ids).execute();
}

/** Adjusts the note count; adding a note updates `updated_at`. */
export async function countNote(trx: Writer, id: number, by: 1 | -1): Promise<void> {
  await trx
    .updateTable('merge_requests')
    .set({ user_notes_count: sql<number>`user_notes_count + ${by}`, ...(by > 0 ? { updated_at: Date.now() } : {}) })
    .where('id', '=', id)
    .execute();
}

/** Transfers merge requests of a deleted user to the heir, including who merged, closed and edited them. */
export async function handOverRequests(trx: Writer, from: number, to: number | null): Promise<void> {
  const rows = () => trx.updateTable('merge_requests');
  if (to !== null) await rows().set({ author_id: to }).where('author_id', '=', from).execute();
  await rows().set({ merge_user_id: to }).where('merge_user_id', '=', from).execute();
  await rows().set({ closed_by_id: to }).where('closed_by_id', '=', from).execute();
  await rows().set({ updated_by_id: to }).where('updated_by_id', '=', from).execute();
  await rows().set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute();
}

/** Returns a batch of merge requests created by a user. */
export async function requestsWrittenBy(trx: Writer, author: number, limit: number): Promise<MergeRequestRow[]> {
  return trx.selectFrom('merge_requests').selectAll().where('author_id', '=', author).limit(limit).execute();
}

const mergedBy = statement((db, param: Param<{ project: number; author: number }>) =>
  db
    .selectFrom('merge_requests')
    .select('id')
    .where('author_id', '=', param('author'))
    .where('project_id', '=', param('project'))
    .where('state', '=', 'merged')
    .limit(1),
);

/** Whether a merge request of this author has been merged into a project. */
export async function hasMerged(db: Reader, project: number, author: number): Promise<boolean> {
  return (await mergedBy.first(db, { project, author })) !== undefined;
}

/** Replaces several labels by one on all merge requests. */
export async function mergeLabels(trx: Writer, from: readonly number[], into: number): Promise<void> {
  if (from.length === 0) return;
  const carrying = trx.selectFrom('merge_request_labels').where('label_id', 'in', from);
  await trx
    .insertInto('merge_request_labels')
    .columns(['merge_request_id', 'label_id'])
    .expression(carrying.select(['merge_request_id', sql.lit(into).as('label_id')]).distinct())
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adjusts a vote count. */
export async function countVote(trx: Writer, id: number, vote: Vote | undefined, by: 1 | -1): Promise<void> {
  if (vote === undefined) return;
  await trx
    .updateTable('merge_requests')
    .set({ [vote]: sql<number>`${sql.ref(vote)} + ${by}` })
    .where('id', '=', id)
    .execute();
}
