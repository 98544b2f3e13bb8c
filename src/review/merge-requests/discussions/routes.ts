import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { discussions, notes } from '../../../planning/notes/public.ts';
import { param } from '../../../platform/http/params.ts';
import { noteableRequest } from '../noteable.ts';
import { oneRequest } from '../schema.ts';
import { beginThread } from './service.ts';

/** Routes for the threads of a merge request. */
export function requestDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const threads = discussions.threadOperations(services, {
    what: 'a merge request',
    gate: gates.project('read_project', { signedIn: true }),
    params: oneRequest,
    found: (caller, subject, { merge_request_iid }) => noteableRequest(services, caller, subject, merge_request_iid),
  });
  return [
    route({ method: 'GET', path: '/projects/:id/merge_requests/:merge_request_iid/discussions', ...threads.list }),
    route({
      ...threads.begin,
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions',
      params: { ...threads.begin.params, position: param.hash(discussions.position), commit_id: param.string() },
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(reply, await beginThread(services, caller, subject, params)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id',
      ...threads.get,
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id',
      ...threads.resolve,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes',
      ...threads.listNotes,
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes',
      ...threads.reply,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.getNote,
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.changeNote,
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes/:note_id',
      ...threads.deleteNote,
    }),
  ];
}
