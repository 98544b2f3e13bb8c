import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { discussions } from '../../notes/public.ts';
import { noteableEpic } from '../noteable.ts';
import { epicById } from '../schema.ts';

/** Routes for the threads of an epic. */
export function epicDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const threads = discussions.threadOperations(services, {
    what: 'an epic',
    gate: gates.group('read_epic', { signedIn: true }),
    params: epicById,
    found: (caller, subject, { epic_id }) => noteableEpic(services, caller, subject, epic_id),
  });
  return [
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/discussions', ...threads.list }),
    route({ method: 'POST', path: '/groups/:id/epics/:epic_id/discussions', ...threads.begin }),
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/discussions/:discussion_id', ...threads.get }),
    route({ method: 'PUT', path: '/groups/:id/epics/:epic_id/discussions/:discussion_id', ...threads.resolve }),
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes', ...threads.listNotes }),
    route({ method: 'POST', path: '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes', ...threads.reply }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes/:note_id',
      ...threads.getNote,
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes/:note_id',
      ...threads.changeNote,
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes/:note_id',
      ...threads.deleteNote,
    }),
  ];
}
