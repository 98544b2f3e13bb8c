import { type Actor, isAdmin, isSignedIn } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Noteable, NoteRow } from '../notes/public.ts';
import { targetOf } from './changes/records.ts';
import { commandableIssue } from './commands/target.ts';
import { readableIssue } from './service.ts';
import { countNote } from './store.ts';

/** An issue as a noteable: a locked one accepts notes from members only, and archived projects accept none. */
export async function noteableIssue(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  missing: () => Error = () => new NotFound('Issue'),
): Promise<Noteable> {
  const state = await readableIssue(services, caller, subject, iid, missing);
  const { issue } = state;
  const member = subject.levels.highest >= Role.guest || isAdmin(caller);
  const plans = subject.can('admin_issue');
  const open = subject.can('create_note') && (issue.discussion_locked !== 1 || member);
  return {
    reader: caller,
    target: targetOf(issue),
    iid: issue.iid,
    title: issue.title,
    audience: issue.confidential === 1 ? 'confidential' : 'issues',
    hasInternalNotes: true,
    resolvable: true,
    ...(isSignedIn(caller) && { commands: commandableIssue(services, caller, subject, state, { comment: open }) }),
    may: {
      comment: open,
      internal: subject.can('read_internal_note'),
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: open && (plans || issue.author_id === caller.user?.id),
    },
  };
}

/** Updates the note count of issues. */
export async function countIssueNotes(
  _services: Services,
  trx: Writer,
  { action, note }: { readonly action: 'create' | 'update' | 'delete'; readonly note: NoteRow },
): Promise<void> {
  if (note.noteable_type !== 'Issue' || note.noteable_id === null || action === 'update') return;
  await countNote(trx, note.noteable_id, action === 'create' ? 1 : -1);
}
