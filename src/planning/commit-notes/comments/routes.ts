import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { commit } from '../../../code/commits/public.ts';
import { repositoryGate } from '../../../code/repository/public.ts';
import { notes } from '../../notes/public.ts';
import { commentGate } from '../gates.ts';
import * as schema from './schema.ts';
import { addComment, listComments } from './service.ts';

const tag = 'commits';

/** Routes for commit comments in the older format. */
export function commentRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/comments',
      tag,
      summary: 'List comments of a commit',
      gate: repositoryGate(gates, 'read_code', { hidden: true }),
      params: commit,
      paginated: true,
      responses: { 200: Type.Array(schema.CommitComment) },
      handle: (call) => listComments(services, call, call.params.sha, call.page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/comments',
      tag,
      summary: 'Create a commit comment',
      gate: commentGate(gates),
      params: schema.comment,
      rules: [schema.commentRule],
      responses: { 201: schema.CommitComment, 202: notes.NoteCommands },
      handle: async (call) =>
        notes.noteResponse(call.reply, await addComment(services, call, call.params.sha, call.params)),
    }),
  ];
}
