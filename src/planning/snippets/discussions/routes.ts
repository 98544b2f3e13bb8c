import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { discussions } from '../../notes/public.ts';
import { noteableSnippet } from '../noteable.ts';
import { oneOfProject } from '../schema.ts';

/** Routes for the threads of a snippet. */
export function snippetDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const threads = discussions.threadOperations(services, {
    what: 'a snippet',
    gate: gates.project('read_project', { signedIn: true }),
    params: oneOfProject,
    found: (caller, subject, { snippet_id }) => noteableSnippet(services, caller, subject, snippet_id),
  });
  return [
    route({ method: 'GET', path: '/projects/:id/snippets/:snippet_id/discussions', ...threads.list }),
    route({ method: 'POST', path: '/projects/:id/snippets/:snippet_id/discussions', ...threads.begin }),
    route({ method: 'GET', path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id', ...threads.get }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes',
      ...threads.listNotes,
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes',
      ...threads.reply,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      ...threads.getNote,
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      ...threads.changeNote,
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      ...threads.deleteNote,
    }),
  ];
}
