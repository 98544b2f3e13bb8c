import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { repositoryGate } from '../repository/service.ts';
import { addComment, listCommentsOf } from './comments.ts';
import * as params from './params.ts';
import * as schema from './schema.ts';
import { listStatusesOf, reportStatus } from './statuses.ts';

const tag = 'commits';
const path = '/projects/:id/repository/commits/:sha';

/** What people and services say about commits. */
export function talkRoutes(services: Services, gates: Gates): Route[] {
  return [...commentRoutes(services, gates), ...statusRoutes(services, gates)];
}

function commentRoutes(services: Services, gates: Gates): Route[] {
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
      path: `${path}/comments`,
      tag,
      summary: 'List the comments on a commit',
      gate: repositoryGate(gates, 'read_code', { hidden: true }),
      params: params.commit,
      paginated: true,
      answers: { 200: Type.Array(schema.CommitComment) },
      handle: (call) => listCommentsOf(services, call, call.params.sha, call.page),
    }),
    route({
      method: 'POST',
      path: `${path}/comments`,
      tag,
      summary: 'Comment on a commit',
      gate: write,
      params: params.comment,
      rules: [params.commentRule],
      answers: { 201: schema.CommitComment, 202: schema.CommandSummary },
      handle: async (call) => {
        const said = await addComment(services, call, call.params.sha, call.params);
        if ('summary' in said) call.reply.code(202);
        return said;
      },
    }),
  ];
}

function statusRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/statuses`,
      tag,
      summary: 'List the statuses of a commit',
      gate: gates.project('read_commit_status', { signedIn: true }),
      params: params.statuses,
      paginated: true,
      answers: { 200: Type.Array(schema.CommitStatus) },
      handle: (call) => listStatusesOf(services, call, call.params.sha, call.params, call.page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/statuses/:sha',
      tag,
      summary: 'Report the status of a commit',
      gate: gates.project('create_commit_status', { signedIn: true }),
      params: params.status,
      answers: { 201: schema.CommitStatus },
      handle: (call) => reportStatus(services, call, call.params.sha, call.params),
    }),
  ];
}
