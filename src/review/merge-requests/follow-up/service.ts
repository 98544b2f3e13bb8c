import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { projectUrl } from '../../../code/repository/public.ts';
import type { FollowedThreads, ThreadFollower } from '../../../planning/issues/public.ts';
import { addSystemNote, discussions } from '../../../planning/notes/public.ts';
import { lockTarget } from '../../../planning/target.ts';
import { requestTarget } from '../changes/records.ts';
import { noteableRequest } from '../noteable.ts';
import { findRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { type OpenThread, openThreads } from './store.ts';

/** Maximum number of notes searched for unresolved threads. */
const maxNotes = 1000;
const maxQuoteLength = 2000;

interface Followed {
  readonly request: MergeRequestRow;
  readonly threads: readonly OpenThread[];
}

/** The unresolved threads to follow up; undefined if there are none that the caller may read. */
async function followed(
  { db }: Services,
  subject: ProjectSubject,
  { iid, discussionId }: FollowedThreads,
): Promise<Followed | undefined> {
  if (!subject.can('read_merge_request')) return undefined;
  const request = await findRequest(db.read, subject.project.id, iid);
  if (!request) return undefined;
  const all = await openThreads(db.read, request.id, maxNotes);
  const threads = discussionId === undefined ? all : all.filter((thread) => thread.discussion_id === discussionId);
  return threads.length === 0 ? undefined : { request, threads };
}

function quoted({ body }: OpenThread): string {
  const text = body.length > maxQuoteLength ? `${body.slice(0, maxQuoteLength)}…` : body;
  return text
    .split('\n')
    .map((line) => `  > ${line}`)
    .join('\n');
}

async function describe(
  services: Services,
  _caller: SignedInActor,
  subject: ProjectSubject,
  wanted: FollowedThreads,
): Promise<string | undefined> {
  const found = await followed(services, subject, wanted);
  if (!found) return undefined;
  const address = `${projectUrl(services, subject)}/-/merge_requests/${found.request.iid}`;
  // Internal notes are left out, because the issue is visible to all who may read the project.
  const items = found.threads
    .filter(({ internal }) => internal === 0)
    .map((thread) => `- [ ] @${thread.username} [commented](${address}#note_${thread.id}):\n\n${quoted(thread)}`);
  return items.length === 0
    ? undefined
    : [`The following threads from !${found.request.iid} should be addressed:`, ...items].join('\n\n');
}

/** Lets an issue follow up the unresolved threads of a merge request: they are resolved with a link to the issue. */
export const threadFollower: ThreadFollower = {
  describe,
  resolve: async (services, trx, caller, subject, wanted, issue) => {
    const found = await followed(services, subject, wanted);
    if (!found) return;
    const noteable = await noteableRequest(services, caller, subject, found.request.iid);
    if (!noteable.may.resolve || !(await lockTarget(trx, noteable.target))) return;
    for (const { discussion_id, type, internal } of found.threads) {
      await discussions.resolveIfAllowed(services, trx, caller, noteable, discussion_id);
      const at = { thread: { type, discussion_id }, internal: internal === 1 };
      await addSystemNote(trx, requestTarget(found.request), caller.user.id, texts.continuedIn(issue.iid), at);
    }
  },
};
