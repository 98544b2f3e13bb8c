import { type Actor, isAdmin, isSignedIn, type SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Noteable, NoteRow } from '../../planning/notes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { requestTarget } from './changes/records.ts';
import { commandableRequest } from './commands/target.ts';
import { type RequestState, requireRequest } from './service.ts';
import { countNote } from './store.ts';

/** A merge request as a noteable: a locked one accepts notes from members only, and archived projects accept none. */
export function asNoteable(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  state: RequestState,
  sawHead = true,
): Noteable {
  const { request } = state;
  const member = subject.levels.highest >= Role.guest || isAdmin(caller);
  const open = subject.can('create_note') && (request.discussion_locked !== 1 || member);
  return {
    reader: caller,
    target: requestTarget(request),
    iid: request.iid,
    title: request.title,
    audience: 'merge_requests',
    hasInternalNotes: true,
    resolvable: true,
    ...(isSignedIn(caller) && {
      commands: commandableRequest(services, caller, subject, state, { comment: open, sawHead }),
    }),
    may: {
      comment: open,
      internal: subject.can('read_internal_note'),
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: open && (subject.can('admin_merge_request') || request.author_id === caller.user?.id),
    },
  };
}

export async function noteableRequest(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  missing: () => Error = () => new NotFound('MergeRequest'),
): Promise<Noteable> {
  if (!subject.can('read_merge_request')) throw new Forbidden();
  return asNoteable(services, caller, subject, await requireRequest(services, subject, iid, missing));
}

/**
 * The noteable for a note whose author states the head they saw; without it, quick actions in the note cannot merge.
 */
export async function noteableAtHead(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  head: string | undefined,
): Promise<Noteable> {
  if (!subject.can('read_merge_request')) throw new Forbidden();
  const state = await requireRequest(services, subject, iid, () => new NotFound('MergeRequest'));
  return asNoteable(services, caller, subject, state, head !== undefined && head === state.request.head_sha);
}

/** Updates the note count of merge requests. */
export async function countRequestNotes(
  _services: Services,
  trx: Writer,
  { action, note }: { readonly action: 'create' | 'update' | 'delete'; readonly note: NoteRow },
): Promise<void> {
  if (note.noteable_type !== 'MergeRequest' || note.noteable_id === null || action === 'update') return;
  await countNote(trx, note.noteable_id, action === 'create' ? 1 : -1);
}
