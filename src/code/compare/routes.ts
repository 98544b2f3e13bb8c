import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { CommitBasic } from '../commits/public.ts';
import { DiffStat, repositoryGate } from '../repository/public.ts';
import { listContributors } from './contributors.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'repositories';

/** `/projects/:id/repository/compare`, contributors and merge base. */
export function compareRoutes(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/compare',
      tag,
      summary: 'Compare branches, tags, or commits',
      gate,
      params: schema.comparison,
      responses: { 200: schema.Comparison },
      handle: (call) => service.compare(services, call, call.params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/compare/diff_stats',
      tag,
      summary: 'List the diff stats of a comparison',
      gate,
      params: schema.sides,
      responses: { 200: Type.Array(DiffStat) },
      handle: (call) => service.listDiffStats(services, call, call.params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/contributors',
      tag,
      summary: 'List repository contributors',
      gate,
      params: schema.contribution,
      paginated: true,
      responses: { 200: Type.Array(schema.Contributor) },
      handle: (call) => listContributors(services, call, call.params, call.page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/merge_base',
      tag,
      summary: 'Get the merge base of refs',
      gate,
      params: schema.ancestry,
      responses: { 200: CommitBasic },
      handle: (call) => service.getMergeBase(services, call, call.params.refs),
    }),
  ];
}
