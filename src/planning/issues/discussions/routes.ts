import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { discussions } from '../../notes/public.ts';
import { noteableIssue } from '../noteable.ts';
import { oneIssue } from '../schema.ts';

/** Routes for the threads of an issue. */
export function issueDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const threads = discussions.threadOperations(services, {
    what: 'an issue',
    gate: gates.project('read_project', { signedIn: true }),
    params: oneIssue,
    found: (caller, subject, { issue_iid }) => noteableIssue(services, caller, subject, issue_iid),
  });
  return [
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/discussions', ...threads.list }),
    route({ method: 'POST', path: '/projects/:id/issues/:issue_iid/discussions', ...threads.begin }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id', ...threads.get }),
    route({ method: 'PUT', path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id', ...threads.resolve }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes',
      ...threads.listNotes,
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes',
      ...threads.reply,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.getNote,
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.changeNote,
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.deleteNote,
    }),
  ];
}
