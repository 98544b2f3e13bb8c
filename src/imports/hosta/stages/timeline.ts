import { updateImportedIssue } from '../../../planning/issues/public.ts';
import { milestonesNamed } from '../../../planning/milestones/public.ts';
import { recordLabels, recordMilestone, recordState } from '../../../planning/resource-events/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { importedRequests } from '../../../review/merge-requests/public.ts';
import { addImportedNote, importedTime, importedTitle, type Noteable, UnreadableRecord } from '../../content/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { everyPage } from '../api.ts';
import { type HostaEvent, hostaEvent, lists } from '../records.ts';
import { contextOf, type HostaContext } from './context.ts';

/** Imports the timelines of issues and pull requests: comments, reviews and events, in chronological order. */
export async function importTimelines(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  for await (const { sourceId, targetId } of run.imported('pull_request', 'requests')) {
    await importTimeline(run, context, sourceId, { type: 'MergeRequest', id: targetId });
  }
  for await (const { sourceId, targetId } of run.imported('issue', 'issues')) {
    await importTimeline(run, context, sourceId, { type: 'Issue', id: targetId });
  }
}

async function importTimeline(run: ImportRun, context: HostaContext, number: string, target: Noteable): Promise<void> {
  const { client, base, options } = context;
  const first = `${base}/issues/${number}/timeline?per_page=${options.perPage}`;
  try {
    const list = { ...lists.events, within: `${number}/` };
    for await (const events of everyPage(run, client, list, first)) {
      for (const event of events) await importEvent(run, context, number, target, event);
    }
  } catch (error) {
    // Deleted since it was listed.
    if (!(error instanceof HostError && (error.status === 404 || error.status === 410))) throw error;
    await run.fail('timeline', number, error);
  }
}

/** An event with the records looked up for it. */
interface ResolvedEvent {
  readonly event: HostaEvent;
  readonly target: Noteable;
  readonly userId: number;
  readonly at: number;
  readonly labelId?: number;
  /** The milestone of the event, if it was imported. */
  readonly milestoneId?: number;
  /** The user the event refers to. */
  readonly otherId?: number;
}

type Handler = (run: ImportRun, trx: Writer, resolved: ResolvedEvent, context: HostaContext) => Promise<number | null>;

const system =
  (body: (event: HostaEvent) => string): Handler =>
  async (run, trx, { event, target, userId, at }) =>
    (await addImportedNote(run, trx, target, { authorId: userId, body: body(event), createdAt: at, system: true })).id;

/** Kind and handler of each event. */
const handlers: Readonly<Record<string, readonly [kind: string, Handler]>> = {
  commented: ['note', importComment],
  reviewed: ['pull_request_review', importReview],
  merged: ['pull_request_merged_by', importMerge],
  closed: ['issue_event', importState('closed')],
  reopened: ['issue_event', importState('reopened')],
  labeled: ['issue_event', importLabelChange('added')],
  unlabeled: ['issue_event', importLabelChange('removed')],
  assigned: ['issue_event', system(({ assignee }) => `assigned to \`@${assignee?.login ?? 'ghost'}\``)],
  unassigned: ['issue_event', system(({ assignee }) => `unassigned \`@${assignee?.login ?? 'ghost'}\``)],
  renamed: [
    'issue_event',
    system(({ rename }) => `changed title from **${rename?.from ?? ''}** to **${rename?.to ?? ''}**`),
  ],
  milestoned: ['issue_event', importMilestoneChange('added')],
  demilestoned: ['issue_event', importMilestoneChange('removed')],
  'cross-referenced': ['issue_event', system((event) => `mentioned in ${referenceOf(event)}`)],
  review_requested: ['issue_event', importReviewRequest(true)],
  review_request_removed: ['issue_event', importReviewRequest(false)],
};

function referenceOf({ source }: HostaEvent): string {
  const { issue } = source ?? {};
  return `${issue?.pull_request ? 'merge request !' : 'issue #'}${issue?.number ?? ''}`;
}

async function importEvent(
  run: ImportRun,
  context: HostaContext,
  number: string,
  target: Noteable,
  event: { readonly event: string; readonly id?: unknown },
): Promise<void> {
  const handler = Object.hasOwn(handlers, event.event) ? handlers[event.event] : undefined;
  if (!handler) return;
  const [kind, write] = handler;
  if (!hostaEvent.fits(event)) {
    const name = typeof event.id === 'number' ? event.id : 'unknown';
    return run.fail(kind, `${number}/${event.event}/${name}`, new UnreadableRecord(hostaEvent.problemOf(event)));
  }
  const crossed = event.source?.issue;
  if (event.event === 'cross-referenced') {
    const known = crossed && (await run.targetOf(crossed.pull_request ? 'pull_request' : 'issue', crossed.number));
    if (known === undefined) return;
  }
  if (/^review_request/.test(event.event) && !event.requested_reviewer) return;
  const other = event.requested_reviewer;
  const resolved: ResolvedEvent = {
    event,
    target,
    userId: await context.idOf(event.actor ?? event.user),
    at: importedTime(event.submitted_at ?? event.created_at),
    ...(event.label ? { labelId: await run.targetOf('label', event.label.name) } : {}),
    ...(event.milestone ? { milestoneId: await milestoneOf(run, event.milestone.title) } : {}),
    ...(other ? { otherId: await context.idOf(other) } : {}),
  };
  const key = `${number}/${event.event}/${event.id ?? `${crossed?.id}`}`;
  await run.once(kind, key, (trx) => write(run, trx, resolved, context));
}

async function importComment(
  run: ImportRun,
  trx: Writer,
  { event, target, userId, at }: ResolvedEvent,
  { text }: HostaContext,
): Promise<number> {
  const updatedAt = importedTime(event.updated_at ?? event.created_at);
  const note = { authorId: userId, body: text(event.body), createdAt: at, updatedAt };
  return (await addImportedNote(run, trx, target, note)).id;
}

const reviewStates: Readonly<Record<string, string>> = {
  approved: 'Approved',
  changes_requested: 'Changes requested',
  commented: 'Commented',
  dismissed: 'Dismissed',
};

async function importReview(
  run: ImportRun,
  trx: Writer,
  { event, target, userId, at }: ResolvedEvent,
  { text }: HostaContext,
): Promise<number | null> {
  const state = (event.state ?? '').toLowerCase();
  const verdict = Object.hasOwn(reviewStates, state) ? reviewStates[state] : undefined;
  if (target.type !== 'MergeRequest' || verdict === undefined) return null;
  if (state === 'approved') {
    await importedRequests.addImportedApproval(trx, target.id, userId, at);
    const body = 'approved this merge request';
    await addImportedNote(run, trx, target, { authorId: userId, body, createdAt: at, system: true });
  }
  if (!event.body) return null;
  const body = `**Review:** ${verdict}\n\n${text(event.body)}`;
  return (await addImportedNote(run, trx, target, { authorId: userId, body, createdAt: at })).id;
}

async function importMerge(
  run: ImportRun,
  trx: Writer,
  { event, target, userId, at }: ResolvedEvent,
  { people }: HostaContext,
): Promise<null> {
  if (target.type !== 'MergeRequest') return null;
  const commit = event.commit_id ? { merge_commit_sha: event.commit_id } : {};
  await importedRequests.updateImportedRequest(trx, target.id, { merge_user_id: userId, merged_at: at, ...commit });
  await recordState(trx, { target: recordTarget(run, target), userId, at }, 'merged');
  const { login } = event.actor ?? event.user ?? {};
  if (people.personal && login) {
    // In a personal namespace everything belongs to the owner, so the note is the only record of the user.
    const body = `*Merged by: ${login} at ${new Date(at).toISOString()}*`;
    await addImportedNote(run, trx, target, { authorId: userId, body, createdAt: at });
  }
  return null;
}

const recordTarget = ({ project }: ImportRun, target: Noteable) => ({
  ...target,
  project_id: project.id,
  namespace_id: null,
});

function importState(state: 'closed' | 'reopened'): Handler {
  return async (run, trx, { target, userId, at }) => {
    // Merging is also reported as closing there.
    if (target.type === 'MergeRequest' && (await importedRequests.wasImportedMerged(trx, target.id, at))) return null;
    await recordState(trx, { target: recordTarget(run, target), userId, at }, state);
    const closed = state === 'closed' ? { closed_by_id: userId } : { closed_by_id: null };
    if (target.type === 'Issue') await updateImportedIssue(trx, target.id, closed);
    else await importedRequests.updateImportedRequest(trx, target.id, closed);
    return null;
  };
}

function importLabelChange(change: 'added' | 'removed'): Handler {
  return async (run, trx, { target, userId, at, labelId }) => {
    if (labelId === undefined) return null;
    const labels = { added: [], removed: [], [change]: [labelId] };
    await recordLabels(trx, { target: recordTarget(run, target), userId, at }, labels);
    return null;
  };
}

async function milestoneOf({ services, project }: ImportRun, title: string): Promise<number | undefined> {
  const named = importedTitle(title);
  const found = (await milestonesNamed(services.db.read, project.id, [], [named])).get(named);
  return found?.title === named ? found.id : undefined;
}

function importMilestoneChange(change: 'added' | 'removed'): Handler {
  return async (run, trx, { target, userId, at, milestoneId: id }) => {
    if (id === undefined) return null;
    const places = change === 'added' ? { before: null, after: id } : { before: id, after: null };
    await recordMilestone(trx, { target: recordTarget(run, target), userId, at }, { ...places, state: 'opened' });
    return null;
  };
}

function importReviewRequest(isRequested: boolean): Handler {
  return async (run, trx, { event, target, userId, at, otherId }) => {
    if (target.type !== 'MergeRequest' || otherId === undefined) return null;
    if (isRequested) await importedRequests.addImportedReviewer(trx, target.id, otherId, { state: 'unreviewed', at });
    else await importedRequests.removeImportedReviewer(trx, target.id, otherId);
    const who = `\`@${event.requested_reviewer?.login ?? 'ghost'}\``;
    const body = isRequested ? `requested review from ${who}` : `removed review request for ${who}`;
    return (await addImportedNote(run, trx, target, { authorId: userId, body, createdAt: at, system: true })).id;
  };
}
