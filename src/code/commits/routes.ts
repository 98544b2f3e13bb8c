import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Diff, DiffStat, repositoryGate, signedInRepositoryGate } from '../repository/public.ts';
import { CommitSignature } from '../signatures/public.ts';
import { withLargeBody } from './files/large-body.ts';
import { listCommits } from './list.ts';
import { mergeRequestsOf } from './merge-requests.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'commits';

/** `/projects/:id/repository/commits`. */
export function commitRoutes(services: Services, gates: Gates): Route[] {
  return [...listRoutes(services, gates), ...singleCommitRoutes(services, gates)];
}

function listRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits',
      tag,
      summary: 'List commits',
      gate: repositoryGate(gates, 'read_code', { hidden: true }),
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.CommitWithStats) },
      handle: (call) => listCommits(services, call, call.params, call.page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits',
      tag,
      summary: 'Create a commit',
      gate: signedInRepositoryGate(gates, 'read_code', { hidden: true }),
      params: schema.creation,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      responses: { 201: schema.CommitDetail },
      handle: (call) => withLargeBody(services, call, (fields) => service.createCommitFrom(services, call, fields)),
    }),
  ];
}

function singleCommitRoutes(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code', { hidden: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha',
      tag,
      summary: 'Get a commit',
      gate,
      params: schema.single,
      jobToken: true,
      responses: { 200: schema.CommitDetail },
      handle: (call) => service.getCommit(services, call, call.params.sha, call.params.stats),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/refs',
      tag,
      summary: 'List branches and tags that contain a commit',
      gate,
      params: schema.refs,
      paginated: true,
      responses: { 200: Type.Array(schema.CommitRef) },
      handle: (call) => service.refsOfCommit(services, call, call.params.sha, call.params.type, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/sequence',
      tag,
      summary: 'Get the sequence number of a commit',
      gate,
      params: schema.sequence,
      responses: { 200: schema.Sequence },
      handle: (call) => service.countReachable(services, call, call.params.sha, call.params.first_parent),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/diff',
      tag,
      summary: 'Get the diff of a commit',
      gate,
      params: schema.diff,
      paginated: true,
      responses: { 200: Type.Array(Diff) },
      handle: (call) => service.listDiff(services, call, call.params, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/diff_stats',
      tag,
      summary: 'List the diff stats of a commit',
      gate,
      params: schema.commit,
      responses: { 200: Type.Array(DiffStat) },
      handle: (call) => service.listDiffStats(services, call, call.params.sha),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/merge_requests',
      tag,
      summary: 'List merge requests of a commit',
      gate,
      params: schema.mergeRequests,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(Type.Any()) },
      handle: (call) => mergeRequestsOf(services, call, call.params, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/signature',
      tag,
      summary: 'Get the signature of a commit',
      gate,
      params: schema.commit,
      responses: { 200: CommitSignature },
      handle: ({ subject, params: { sha } }) => service.signatureOfCommit(services, subject, sha),
    }),
  ];
}
