import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Noteable } from '../notes/public.ts';
import { readableEpicById, targetOf } from './service.ts';

/** An epic to be commented on, by its number in the instance. */
export async function noteableEpic(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  id: number,
): Promise<Noteable> {
  const epic = await readableEpicById(services, subject, id, () => new NotFound('Epic'));
  const comment = subject.can('create_note');
  return {
    target: targetOf(epic),
    iid: null,
    title: epic.title,
    audience: epic.confidential === 1 ? 'confidential' : 'issues',
    hasInternalNotes: true,
    resolvable: true,
    may: {
      comment,
      internal: subject.can('read_internal_note'),
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: comment && (subject.can('admin_epic') || epic.author_id === caller.user.id),
    },
  };
}
