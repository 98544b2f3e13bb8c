import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { repositoryGate } from '../../repository/public.ts';
import { commit } from '../schema.ts';
import * as schema from './schema.ts';
import { addComment, listComments } from './service.ts';

const tag = 'commits';

/** What people say about commits. */
export function commentRoutes(services: Services, gates: Gates): Route[] {
  const write = gates.project('create_note', {
    signedIn: true,
    refusal: (subject) => {
      if (subject.project.repository_access === 0) return new NotFound('Repository');
      return subject.can('read_code') ? undefined : new Forbidden();
    },
  });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/comments',
      tag,
      summary: 'List the comments on a commit',
      gate: repositoryGate(gates, 'read_code', { hidden: true }),
      params: commit,
      paginated: true,
      answers: { 200: Type.Array(schema.CommitComment) },
      handle: (call) => listComments(services, call, call.params.sha, call.page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/comments',
      tag,
      summary: 'Comment on a commit',
      gate: write,
      params: schema.comment,
      rules: [schema.commentRule],
      answers: { 201: schema.CommitComment, 202: schema.CommandSummary },
      handle: async (call) => {
        const said = await addComment(services, call, call.params.sha, call.params);
        if ('summary' in said) call.reply.code(202);
        return said;
      },
    }),
  ];
}
