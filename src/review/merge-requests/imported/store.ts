import { type Insertable, sql, type Updateable } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';
import { insertRequest } from '../store.ts';
import type { MergeRequestRow, MergeRequestsTable, ReviewState } from '../tables.ts';
import type { Collected } from '../versions/collect.ts';
import { addVersion } from '../versions/store.ts';

/** What an imported merge request has beside its own columns. */
export interface ImportedParts {
  readonly version?: Collected;
  /** Those before it, the oldest first, with when they were made. */
  readonly earlier?: readonly { readonly version: Collected; readonly at: number }[];
  readonly labelIds: readonly number[];
  readonly assigneeIds: readonly number[];
}

/** Adds a merge request as another host has it, with its own number, times and state: no news to anybody. */
export async function insertImportedRequest(
  trx: Writer,
  row: Insertable<MergeRequestsTable>,
  { version, earlier = [], labelIds, assigneeIds }: ImportedParts,
): Promise<MergeRequestRow> {
  const request = await insertRequest(trx, row);
  for (const before of earlier) await addVersion(trx, request, before.version, before.at);
  if (version) await addVersion(trx, request, version, row.updated_at);
  const merge_request_id = request.id;
  await labelImportedRequest(trx, merge_request_id, labelIds);
  const assignees = [...new Set(assigneeIds)].map((user_id) => ({ merge_request_id, user_id }));
  if (assignees.length > 0) await trx.insertInto('merge_request_assignees').values(assignees).execute();
  return request;
}

export async function labelImportedRequest(trx: Writer, id: number, labelIds: readonly number[]): Promise<void> {
  const rows = [...new Set(labelIds)].map((label_id) => ({ merge_request_id: id, label_id }));
  if (rows.length === 0) return;
  await trx
    .insertInto('merge_request_labels')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Notes what is learnt of an imported merge request later on. */
export async function updateImportedRequest(
  trx: Writer,
  id: number,
  change: Updateable<MergeRequestsTable>,
): Promise<void> {
  await trx.updateTable('merge_requests').set(change).where('id', '=', id).execute();
}

/** Whether an imported merge request was merged at a time or before. */
export async function wasImportedMerged(trx: Writer, id: number, at: number): Promise<boolean> {
  const row = await trx.selectFrom('merge_requests').select('merged_at').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.merged_at !== null && row.merged_at <= at;
}

export async function countImportedRequestNote(trx: Writer, id: number): Promise<void> {
  await trx
    .updateTable('merge_requests')
    .set({ user_notes_count: sql<number>`user_notes_count + 1` })
    .where('id', '=', id)
    .execute();
}

/** Somebody approved an imported merge request. */
export async function addImportedApproval(trx: Writer, id: number, userId: number, at: number): Promise<void> {
  await trx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: id, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Somebody is, or was asked to be, a reviewer of an imported merge request. */
export async function addImportedReviewer(
  trx: Writer,
  id: number,
  userId: number,
  { state, at }: { readonly state: ReviewState; readonly at: number },
): Promise<void> {
  await trx
    .insertInto('merge_request_reviewers')
    .values({ merge_request_id: id, user_id: userId, state, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeImportedReviewer(trx: Writer, id: number, userId: number): Promise<void> {
  await trx
    .deleteFrom('merge_request_reviewers')
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .execute();
}

/** What one was to do, and has said, another is to do and has said, who may have been there before. */
export async function handOverParts(trx: Writer, from: number, to: number): Promise<void> {
  const heir = sql<number>`cast(${to} as bigint)`.as('user_id');
  await trx
    .insertInto('merge_request_assignees')
    .columns(['merge_request_id', 'user_id'])
    .expression((eb) =>
      eb.selectFrom('merge_request_assignees').select(['merge_request_id', heir]).where('user_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .insertInto('merge_request_reviewers')
    .columns(['merge_request_id', 'user_id', 'state', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('merge_request_reviewers')
        .select(['merge_request_id', heir, 'state', 'created_at'])
        .where('user_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .insertInto('merge_request_approvals')
    .columns(['merge_request_id', 'user_id', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('merge_request_approvals')
        .select(['merge_request_id', heir, 'created_at'])
        .where('user_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
