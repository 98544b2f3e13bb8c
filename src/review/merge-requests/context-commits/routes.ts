import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { CommitBasic } from '../../../code/commits/public.ts';
import { param, required } from '../../../platform/http/params.ts';
import { oneRequest } from '../schema.ts';
import * as service from './service.ts';

const tag = 'merge_requests';
const named = { ...oneRequest, commits: required(param.commaList({ description: 'Full commit IDs' })) };

/** Routes for context commits, which help to review a merge request without being part of it. */
export function contextCommitRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/context_commits',
      tag,
      summary: 'List context commits of a merge request',
      gate: gates.project('read_merge_request'),
      params: oneRequest,
      responses: { 200: Type.Array(CommitBasic) },
      handle: ({ subject, params }) => service.listContext(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/context_commits',
      tag,
      summary: 'Create context commits of a merge request',
      gate: gates.project('read_merge_request', { signedIn: true }),
      params: named,
      responses: { 201: Type.Array(CommitBasic) },
      handle: ({ caller, subject, params }) => service.addContextCommits(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/context_commits',
      tag,
      summary: 'Delete context commits of a merge request',
      gate: gates.project('read_merge_request', { signedIn: true }),
      params: named,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removeContextCommits(services, subject, params),
    }),
  ];
}
