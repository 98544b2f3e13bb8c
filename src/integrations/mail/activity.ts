import type { Services } from '../../access/services.ts';
import { findNotes } from '../../planning/notes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { rerequestedReviewers } from '../../review/merge-requests/public.ts';
import { mayHaveRecipients } from './audience.ts';
import { type Change, changesOf, type Plan } from './changes.ts';
import { labelSubscribers } from './store.ts';

/** An event on an issue, merge request, epic, commit or snippet. */
export interface Activity {
  readonly type: 'Issue' | 'MergeRequest' | 'Epic' | 'Commit' | 'Snippet';
  readonly id: number;
  readonly actorId: number;
  /**
   * `opened`, `closed`, `reopened`, `merged`, `approved`, `set to merge`, `in conflict`, `commented`, `reviewed`, `mentioned`, `due`,
   * or the verb of a change.
   */
  readonly verb: string;
  /** Makes the activity unique among those of the same kind. */
  readonly key: string;
  readonly note?: Comment;
  /** The notes of a review, which are sent in one e-mail. */
  readonly noteIds?: readonly number[];
  /** IDs of the labels, users or milestone that the change refers to. */
  readonly ids?: readonly number[];
  /** Additional recipients who no longer participate, such as former assignees. */
  readonly also?: readonly number[];
  /** Restricts the recipients to these users: subscribers of a label. */
  readonly only?: readonly number[];
  /** Restricts the recipients to these participants, subject to their notification settings. */
  readonly concerned?: readonly number[];
  /** Restricts the recipients to these users, subject to their notification settings: those mentioned in an edit. */
  readonly named?: readonly number[];
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly internal: boolean;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.notify': Activity;
  }
}

const verbs: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'revoked the approval of',
  unapproval: 'revoked the approval of',
};

type Item = Parameters<typeof mayHaveRecipients>[2]['item'] & { readonly updated_at: number };

/** Enqueues a notification for each change that may have recipients. */
async function notifyOfChanges(
  { queue }: Services,
  trx: Writer,
  {
    type,
    item,
    actorId,
    involved,
  }: { type: 'Issue' | 'MergeRequest'; item: Item; actorId: number; involved: number[] },
  changes: readonly Change[],
): Promise<void> {
  for (const { verb, ids, also } of changes) {
    const only = verb === 'labeled' ? await labelSubscribers(trx, ids, actorId) : undefined;
    const concerned = { type, item, involved: [...involved, ...also], text: null };
    if (only ? only.length === 0 : !(await mayHaveRecipients(trx, actorId, concerned))) continue;
    const key = `${verb.replaceAll(' ', '-')}-${item.updated_at}`;
    await queue.enqueue(trx, 'mail.notify', {
      type,
      id: item.id,
      actorId,
      verb,
      key,
      ids,
      also,
      ...(only && { only }),
    });
  }
}

const planOfIssue = ({ issue, assigneeIds, labelIds }: DomainEvents['issue.changed']['after']): Plan => ({
  assigneeIds,
  reviewerIds: [],
  labelIds,
  milestoneId: issue.milestone_id,
  draft: false,
});

export async function onIssue(services: Services, trx: Writer, change: DomainEvents['issue.changed']): Promise<void> {
  const { actorId, before, after } = change;
  const verb = verbs[change.action];
  const { issue, assigneeIds } = after;
  const { id, updated_at, author_id } = issue;
  const involved = [author_id, ...assigneeIds];
  if (before) {
    const about = { type: 'Issue' as const, item: issue, actorId, involved };
    await notifyOfChanges(services, trx, about, changesOf(planOfIssue(before), planOfIssue(after)));
  }
  if (!verb) return;
  const text = verb === 'opened' ? issue.description : null;
  if (!(await mayHaveRecipients(trx, actorId, { type: 'Issue', item: issue, involved, text }))) return;
  const key = `${verb}-${updated_at}`;
  await services.queue.enqueue(trx, 'mail.notify', { type: 'Issue', id, actorId, verb, key });
}

const planOfRequest = (state: DomainEvents['merge-request.changed']['after']): Plan => ({
  ...state,
  milestoneId: state.request.milestone_id,
  draft: state.request.draft === 1,
});

export async function onRequest(
  services: Services,
  trx: Writer,
  change: DomainEvents['merge-request.changed'],
): Promise<void> {
  const { actorId, before, after, oldHead } = change;
  // A push that resets approvals is told of as a push.
  const verb = change.systemAction ? undefined : verbs[change.action];
  const { request, assigneeIds, reviewerIds } = after;
  const { id, updated_at, author_id } = request;
  const involved = [author_id, ...assigneeIds, ...reviewerIds];
  if (before) {
    const about = { type: 'MergeRequest' as const, item: request, actorId, involved };
    const besides = { pushed: oldHead !== undefined, again: rerequestedReviewers(before, after) };
    await notifyOfChanges(services, trx, about, changesOf(planOfRequest(before), planOfRequest(after), besides));
  }
  if (!verb) return;
  const text = verb === 'opened' ? request.description : null;
  if (!(await mayHaveRecipients(trx, actorId, { type: 'MergeRequest', item: request, involved, text }))) return;
  const key = `${verb.replaceAll(' ', '-')}-${updated_at}`;
  await services.queue.enqueue(trx, 'mail.notify', { type: 'MergeRequest', id, actorId, verb, key });
}

/** Auto-merge was enabled for a merge request. */
export async function onAutoMerge(
  services: Services,
  trx: Writer,
  { state, actorId }: DomainEvents['merge-request.auto-merge-set'],
): Promise<void> {
  const { request, assigneeIds, reviewerIds } = state;
  const involved = [request.author_id, ...assigneeIds, ...reviewerIds];
  if (!(await mayHaveRecipients(trx, actorId, { type: 'MergeRequest', item: request, involved, text: null }))) return;
  const key = `auto-merge-${request.updated_at}`;
  const activity = { type: 'MergeRequest', id: request.id, actorId, verb: 'set to merge', key } as const;
  await services.queue.enqueue(trx, 'mail.notify', activity);
}

/** Only the author and the user who enabled auto-merge have to act. */
export async function onConflict(
  { queue }: Services,
  trx: Writer,
  { request, ownerIds }: DomainEvents['merge-request.conflicted'],
): Promise<void> {
  const { id, author_id: actorId } = request;
  const activity = { type: 'MergeRequest', id, actorId, verb: 'in conflict', key: `conflict-${Date.now()}` } as const;
  await queue.enqueue(trx, 'mail.notify', { ...activity, concerned: ownerIds });
}

/** Epics are few and created by people, so recipients are not checked before the job is enqueued. */
export async function onEpic(
  { queue }: Services,
  trx: Writer,
  { action, actorId, after }: DomainEvents['epic.changed'],
): Promise<void> {
  const verb = verbs[action];
  if (!verb) return;
  const key = `${verb}-${after.updated_at}`;
  await queue.enqueue(trx, 'mail.notify', { type: 'Epic', id: after.id, actorId, verb, key });
}

const notifiedTypes: readonly string[] = [
  'Issue',
  'MergeRequest',
  'Epic',
  'Commit',
  'Snippet',
] satisfies Activity['type'][];
const isNotifiedType = (type: string): type is Activity['type'] => notifiedTypes.includes(type);

export async function onNote({ queue }: Services, trx: Writer, change: DomainEvents['note.changed']): Promise<void> {
  const { action, note, actorId } = change;
  const type = note.noteable_type;
  if (action !== 'create' || note.system === 1 || note.noteable_id === null || change.noteable.inReview) return;
  if (!isNotifiedType(type)) return;
  const comment = { id: note.id, body: note.body, internal: note.internal === 1 };
  const activity = {
    type,
    id: note.noteable_id,
    actorId,
    verb: 'commented',
    key: `note-${note.id}`,
    note: comment,
  } as const;
  await queue.enqueue(trx, 'mail.notify', activity);
}

/** An edit adds mentions: only the newly mentioned users are notified. */
export async function onMentions(
  { queue }: Services,
  trx: Writer,
  { target: { type, id }, noteId, actorId, userIds }: DomainEvents['mentions.added'],
): Promise<void> {
  if (!isNotifiedType(type)) return;
  const activity = { type, id, actorId, verb: 'mentioned', key: `mentioned-${Date.now()}`, named: userIds } as const;
  await queue.enqueue(trx, 'mail.notify', noteId === null ? activity : { ...activity, noteIds: [noteId] });
}

/** Delay that collects the notes of one review, which are created almost at once. */
const reviewMs = 1000;

export async function onReview(
  { queue }: Services,
  trx: Writer,
  { requestId, actorId, review, noteIds }: DomainEvents['merge-request.reviewed'],
): Promise<void> {
  const key = `review-${review}`;
  const activity = { type: 'MergeRequest', id: requestId, actorId, verb: 'reviewed', key, noteIds } as const;
  await queue.enqueue(trx, 'mail.notify', activity, { dedupeKey: key, runAt: Date.now() + reviewMs });
}

/** Returns the notes of an activity, if any. */
export async function commentsOf({ db }: Services, { note, noteIds = [] }: Activity): Promise<readonly Comment[]> {
  if (note) return [note];
  const found = noteIds.length === 0 ? [] : await findNotes(db.read, noteIds);
  const byId = new Map(found.map((row) => [row.id, { id: row.id, body: row.body, internal: row.internal === 1 }]));
  return noteIds.flatMap((id) => byId.get(id) ?? []);
}
