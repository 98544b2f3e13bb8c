import { type Actor, canReadEverything, isAdmin } from '../../access/actor.ts';
import { Role, Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { SnippetRow } from './tables.ts';

type Snippet = Pick<SnippetRow, 'author_id' | 'visibility'>;

const isAuthor = ({ user }: Actor, { author_id }: Snippet) => user !== null && user.id === author_id;

/** Personal snippets are visible to their author, and to others according to their visibility. */
export function mayReadPersonal(actor: Actor, snippet: Snippet): boolean {
  if (isAuthor(actor, snippet) || canReadEverything(actor)) return true;
  if (snippet.visibility >= Visibility.public) return true;
  return snippet.visibility >= Visibility.internal && actor.user !== null && actor.user.external !== 1;
}

/**
 * Project snippets require read access to the project's snippets; private ones are visible to members and the author,
 * internal ones to signed-in users.
 */
export function mayReadInProject(actor: Actor, subject: ProjectSubject, snippet: Snippet): boolean {
  if (!subject.can('read_snippet')) return false;
  if (canReadEverything(actor) || isAuthor(actor, snippet) || subject.levels.highest >= Role.guest) return true;
  if (snippet.visibility >= Visibility.public) return true;
  return snippet.visibility >= Visibility.internal && actor.user !== null && actor.user.external !== 1;
}

/** Whether the caller may update a project snippet: its author, and users who may manage the project's snippets. */
export function mayChangeInProject(actor: Actor, subject: ProjectSubject, snippet: Snippet): boolean {
  if (!mayReadInProject(actor, subject, snippet) || subject.archived) return false;
  return subject.can('admin_snippet') || isAuthor(actor, snippet) || isAdmin(actor);
}
