import { type Actor, isAdmin, isSignedIn } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Noteable } from '../notes/public.ts';
import { commandableEpic } from './commands.ts';
import { readableEpic, readableEpicById, targetOf } from './service.ts';
import type { EpicRow } from './tables.ts';

/** An epic as a noteable, by its global ID. */
export async function noteableEpic(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  id: number,
): Promise<Noteable> {
  const missing = () => new NotFound('Epic');
  return noteableOf(services, caller, subject, await readableEpicById(services, subject, id, missing));
}

/** An epic as a noteable, by its IID within the group. */
export async function noteableEpicByIid(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  iid: number,
  missing: () => Error,
): Promise<Noteable> {
  return noteableOf(services, caller, subject, await readableEpic(services, subject, iid, missing));
}

function noteableOf(services: Services, caller: Actor, subject: GroupSubject, epic: EpicRow): Noteable {
  const comment = subject.can('create_note');
  return {
    reader: caller,
    target: targetOf(epic),
    iid: null,
    title: epic.title,
    audience: epic.confidential === 1 ? 'confidential' : 'issues',
    hasInternalNotes: true,
    resolvable: true,
    ...(isSignedIn(caller) && { commands: commandableEpic(services, caller, subject, epic) }),
    may: {
      comment,
      internal: subject.can('read_internal_note'),
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: comment && (subject.can('admin_epic') || epic.author_id === caller.user?.id),
    },
  };
}
