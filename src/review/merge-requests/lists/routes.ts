import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { MergeRequestBasic, MergeRequestSimple } from '../schema.ts';
import { listDeployedRequests, listRequests } from './browse.ts';
import * as schema from './schema.ts';

const tag = 'merge_requests';
const responses = { 200: Type.Array(Type.Union([MergeRequestBasic, MergeRequestSimple])) };

/** Removes the path parameter from the filters. */
function filtersOf<P extends { id: string }>({ id, ...filters }: P): Omit<P, 'id'> {
  return filters;
}

export function requestListRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/merge_requests',
      tag,
      summary: 'List merge requests',
      gate: gates.anyone,
      params: schema.allRequests,
      rules: schema.listRules,
      paginated: true,
      responses,
      handle: ({ caller, params, page }) => listRequests(services, caller, null, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/merge_requests',
      tag,
      summary: 'List merge requests of a group',
      gate: gates.group('read_group'),
      params: schema.groupRequests,
      rules: schema.listRules,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listRequests(services, caller, subject, filtersOf(params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests',
      tag,
      summary: 'List merge requests of a project',
      gate: gates.project('read_merge_request'),
      jobToken: true,
      params: schema.projectRequests,
      rules: schema.listRules,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listRequests(services, caller, subject, filtersOf(params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/deployments/:deployment_id/merge_requests',
      tag: 'deployments',
      summary: 'List merge requests of a deployment',
      gate: gates.project('read_environment', { signedIn: true }),
      params: schema.deploymentRequests,
      rules: schema.listRules,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listDeployedRequests(services, caller, subject, params, page),
    }),
  ];
}
