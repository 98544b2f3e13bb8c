import { type Insertable, sql, type Updateable } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';
import { insertRequest } from '../store.ts';
import type { MergeRequestRow, MergeRequestsTable, ReviewState } from '../tables.ts';
import type { VersionContent } from '../versions/collect.ts';
import { addVersion } from '../versions/store.ts';

/** Related rows of an imported merge request. */
export interface ImportedParts {
  readonly version?: VersionContent;
  /** Earlier versions, oldest first, with their timestamps. */
  readonly earlier?: readonly { readonly version: VersionContent; readonly at: number }[];
  readonly labelIds: readonly number[];
  readonly assigneeIds: readonly number[];
}

/** Inserts an imported merge request with its original IID, timestamps and state, without announcing any event. */
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

/** Updates columns of an imported merge request that become known later. */
export async function updateImportedRequest(
  trx: Writer,
  id: number,
  change: Updateable<MergeRequestsTable>,
): Promise<void> {
  await trx.updateTable('merge_requests').set(change).where('id', '=', id).execute();
}

/** Whether an imported merge request had been merged at this time. */
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

/** Adds an approval of an imported merge request. */
export async function addImportedApproval(trx: Writer, id: number, userId: number, at: number): Promise<void> {
  await trx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: id, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds a reviewer of an imported merge request. */
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

/** Transfers assignments, reviews and approvals to another user, who may already have them. */
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
    .insertInto('approval_rule_users')
    .columns(['rule_id', 'user_id'])
    .expression((eb) => eb.selectFrom('approval_rule_users').select(['rule_id', heir]).where('user_id', '=', from))
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
