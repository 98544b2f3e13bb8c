import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { commit } from '../../../code/commits/public.ts';
import { signedInRepositoryGate } from '../../../code/repository/public.ts';
import { param } from '../../../platform/http/params.ts';
import { discussions, notes } from '../../notes/public.ts';
import { commentGate } from '../gates.ts';
import { noteableCommit } from '../noteable.ts';
import { beginThread, reply } from './service.ts';

/** Routes for the threads of a commit. */
export function commitDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const threads = discussions.threadOperations(services, {
    what: 'a commit',
    gate: signedInRepositoryGate(gates, 'read_code', { hidden: true }),
    params: commit,
    found: async (caller, subject, { sha }) => (await noteableCommit(services, caller, subject, sha)).noteable,
  });
  const write = commentGate(gates);
  return [
    route({ method: 'GET', path: '/projects/:id/repository/commits/:sha/discussions', ...threads.list }),
    route({
      ...threads.begin,
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/discussions',
      gate: write,
      params: { ...threads.begin.params, position: param.hash(discussions.position) },
      handle: async (call) =>
        notes.noteResponse(call.reply, await beginThread(services, call, call.params.sha, call.params)),
    }),
    route({ method: 'GET', path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id', ...threads.get }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes',
      ...threads.listNotes,
    }),
    route({
      ...threads.reply,
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes',
      gate: write,
      handle: async (call) =>
        notes.noteResponse(
          call.reply,
          await reply(services, call, call.params.sha, call.params.discussion_id, call.params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      ...threads.getNote,
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      ...threads.changeNote,
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      ...threads.deleteNote,
    }),
  ];
}
