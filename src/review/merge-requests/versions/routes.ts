import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { CommitBasic } from '../../../code/commits/public.ts';
import { Diff, DiffStat } from '../../../code/repository/public.ts';
import { oneRequest } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_requests';

/** Routes for the changes of a merge request and its versions. */
export function versionRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_merge_request');
  const signedIn = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/diffs',
      tag,
      summary: 'List changed files of a merge request',
      gate: reading,
      params: schema.diffs,
      paginated: true,
      responses: { 200: Type.Array(Diff) },
      handle: (call) =>
        service.listDiffs(services, call, call.params.merge_request_iid, call.params.unidiff, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/diff_stats',
      tag,
      summary: 'List diff statistics of a merge request',
      gate: reading,
      params: schema.diffStats,
      responses: { 200: Type.Array(DiffStat) },
      handle: (call) => service.listDiffStats(services, call, call.params.merge_request_iid, call.params.version_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/raw_diffs',
      tag,
      summary: 'Get the raw diff of a merge request',
      gate: reading,
      params: oneRequest,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const { params, request, reply } = call;
        reply.headers({
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': 'inline',
          'cache-control': 'no-store',
        });
        const content = await service.rawDiff(services, call, params.merge_request_iid);
        if (request.method === 'HEAD') {
          content.destroy();
          return reply.send();
        }
        return reply.send(content);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/changes',
      tag,
      summary: 'Get a merge request with its changes',
      gate: reading,
      params: schema.changes,
      responses: { 200: schema.RequestWithChanges },
      handle: (call) => service.withChanges(services, call, call.params.merge_request_iid, call.params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/commits',
      tag,
      summary: 'List commits of a merge request',
      gate: reading,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(CommitBasic) },
      handle: (call) => service.listRequestCommits(services, call, call.params.merge_request_iid, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/versions',
      tag,
      summary: 'List versions of a merge request',
      gate: signedIn,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.Version) },
      handle: (call) => service.listRequestVersions(services, call, call.params.merge_request_iid, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/versions/:version_id',
      tag,
      summary: 'Get a version of a merge request',
      gate: signedIn,
      params: schema.oneVersion,
      responses: { 200: schema.VersionWithDiffs },
      handle: (call) => service.getVersion(services, call, call.params.merge_request_iid, call.params),
    }),
  ];
}
