import { type Actor, isAdmin, seesAll } from '../../access/actor.ts';
import { Role, Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { SnippetRow } from './tables.ts';

type Snippet = Pick<SnippetRow, 'author_id' | 'visibility'>;

const isAuthor = ({ user }: Actor, { author_id }: Snippet) => user !== null && user.id === author_id;

/** A personal snippet is seen by its author, and by others as its visibility says. */
export function mayReadPersonal(actor: Actor, snippet: Snippet): boolean {
  if (isAuthor(actor, snippet) || seesAll(actor)) return true;
  if (snippet.visibility >= Visibility.public) return true;
  return snippet.visibility >= Visibility.internal && actor.user !== null && actor.user.external !== 1;
}

/** One of a project by those who read its snippets: a private one by members and its author, an internal one by whoever signed in. */
export function mayReadInProject(actor: Actor, subject: ProjectSubject, snippet: Snippet): boolean {
  if (!subject.can('read_snippet')) return false;
  if (seesAll(actor) || isAuthor(actor, snippet) || subject.levels.highest >= Role.guest) return true;
  if (snippet.visibility >= Visibility.public) return true;
  return snippet.visibility >= Visibility.internal && actor.user !== null && actor.user.external !== 1;
}

/** What is in it and said about it: its author, and those who look after the project. */
export function mayChangeInProject(actor: Actor, subject: ProjectSubject, snippet: Snippet): boolean {
  if (!mayReadInProject(actor, subject, snippet) || subject.archived) return false;
  return subject.can('admin_snippet') || isAuthor(actor, snippet) || isAdmin(actor);
}
