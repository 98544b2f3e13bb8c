import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Diff, repositoryGate, signedInRepositoryGate } from '../repository/public.ts';
import { CommitSignature } from '../signatures/schema.ts';
import { withLargeBody } from './body.ts';
import { commentRoutes } from './comment-routes.ts';
import { createCommitFrom } from './create.ts';
import { listCommits } from './list.ts';
import { mergeRequestsOf } from './merge-requests.ts';
import * as params from './params.ts';
import { pickRoutes } from './pick-routes.ts';
import * as read from './read.ts';
import * as schema from './schema.ts';
import { signatureOfCommit } from './signature.ts';

const tag = 'commits';
const path = '/projects/:id/repository/commits';

/** `/projects/:id/repository/commits`, and what is said about them. */
export function commitRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...collection(services, gates),
    ...aboutOne(services, gates),
    ...pickRoutes(services, gates),
    ...commentRoutes(services, gates),
  ];
}

function collection(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List commits',
      gate: repositoryGate(gates, 'read_code', { hidden: true }),
      params: params.listing,
      paginated: true,
      answers: { 200: Type.Array(schema.CommitWithStats) },
      handle: (call) => listCommits(services, call, call.params, call.page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a commit',
      gate: signedInRepositoryGate(gates, 'read_code', { hidden: true }),
      params: params.creation,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      answers: { 201: schema.CommitDetail },
      handle: (call) => withLargeBody(services, call, (fields) => createCommitFrom(services, call, fields)),
    }),
  ];
}

function aboutOne(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code', { hidden: true });
  return [
    route({
      method: 'GET',
      path: `${path}/:sha`,
      tag,
      summary: 'Get a commit',
      gate,
      params: params.single,
      jobToken: true,
      answers: { 200: schema.CommitDetail },
      handle: (call) => read.getCommit(services, call, call.params.sha, call.params.stats),
    }),
    route({
      method: 'GET',
      path: `${path}/:sha/refs`,
      tag,
      summary: 'List the branches and tags that contain a commit',
      gate,
      params: params.refs,
      paginated: true,
      answers: { 200: Type.Array(schema.CommitRef) },
      handle: (call) => read.refsOfCommit(services, call, call.params.sha, call.params.type, call.page),
    }),
    route({
      method: 'GET',
      path: `${path}/:sha/sequence`,
      tag,
      summary: 'Count the commits behind a commit',
      gate,
      params: params.sequence,
      answers: { 200: schema.Sequence },
      handle: (call) => read.countBehind(services, call, call.params.sha, call.params.first_parent),
    }),
    route({
      method: 'GET',
      path: `${path}/:sha/diff`,
      tag,
      summary: 'List what a commit changed',
      gate,
      params: params.diff,
      paginated: true,
      answers: { 200: Type.Array(Diff) },
      handle: (call) => read.listDiff(services, call, call.params, call.page),
    }),
    route({
      method: 'GET',
      path: `${path}/:sha/merge_requests`,
      tag,
      summary: 'List the merge requests of a commit',
      gate,
      params: params.mergeRequests,
      paginated: true,
      jobToken: true,
      answers: { 200: Type.Array(Type.Any()) },
      handle: (call) => mergeRequestsOf(services, call, call.params, call.page),
    }),
    route({
      method: 'GET',
      path: `${path}/:sha/signature`,
      tag,
      summary: 'Get the signature of a commit',
      gate,
      params: params.commit,
      answers: { 200: CommitSignature },
      handle: ({ subject, params: { sha } }) => signatureOfCommit(services, subject, sha),
    }),
  ];
}
