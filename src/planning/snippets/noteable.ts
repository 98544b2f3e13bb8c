import { type Actor, isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Noteable } from '../notes/public.ts';
import type { Target } from '../target.ts';
import { readableInProject } from './service.ts';
import type { SnippetRow } from './tables.ts';

export function targetOf({ id, project_id }: Pick<SnippetRow, 'id' | 'project_id'>): Target {
  return { type: 'Snippet', id, project_id, namespace_id: null };
}

/** A project snippet as a noteable; personal snippets have no notes. */
export async function noteableSnippet(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
  missing: () => Error = () => new NotFound('Snippet'),
): Promise<Noteable> {
  const snippet = await readableInProject(services, caller, subject, id, missing);
  // Activity on a snippet that is less visible than the project must not appear in the project's feed.
  const open = snippet.visibility >= subject.visibility;
  const comment = subject.can('create_note');
  return {
    reader: caller,
    target: targetOf(snippet),
    iid: null,
    title: snippet.title,
    audience: open ? 'snippets' : 'confidential',
    hasInternalNotes: false,
    resolvable: false,
    may: {
      comment,
      internal: false,
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: comment && (subject.can('admin_snippet') || snippet.author_id === caller.user?.id),
    },
  };
}
