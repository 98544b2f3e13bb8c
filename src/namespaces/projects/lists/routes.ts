import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { userByIdOrName } from '../../../people/users/public.ts';
import type { PageRequest } from '../../../platform/http/pages/pagination.ts';
import { param, required } from '../../../platform/http/params.ts';
import { VisibleProject } from '../schema.ts';
import * as params from './schema.ts';
import * as list from './service.ts';

const tag = 'projects';
const responses = { 200: Type.Array(VisibleProject) };
const group = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const user = { user_id: required(param.string({ description: 'ID or username' })) };

function asked(options: params.ListOptions, slice: PageRequest, sent: Readonly<Record<string, unknown>>) {
  return { options, slice, keyset: sent.pagination === 'keyset' };
}

/** Routes of the project lists. */
export function listRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects',
      tag,
      summary: 'List projects',
      gate: gates.anyone,
      params: params.projectListParams,
      paginated: true,
      responses,
      handle: ({ caller, params, page, sent }) => list.listProjects(services, caller, asked(params, page, sent)),
    }),
    ...groupLists(services, gates),
    ...userLists(services, gates),
  ];
}

function groupLists(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/projects',
      tag,
      summary: 'List projects of a group',
      gate: gates.group('read_group'),
      params: { ...group, ...params.groupProjectListParams },
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => list.listGroupProjects(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/projects/shared',
      tag,
      summary: 'List projects shared with a group',
      gate: gates.group('read_group'),
      params: { ...group, ...params.sharedProjectListParams },
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) =>
        list.listProjectsSharedWith(services, caller, subject, params, page),
    }),
  ];
}

function userLists(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/users/:user_id/projects',
      tag,
      summary: 'List projects of a user',
      gate: gates.anyone,
      params: { ...user, ...params.projectListParams },
      paginated: true,
      responses,
      handle: async ({ caller, params, page, sent }) => {
        const owner = await userByIdOrName(services.db.read, params.user_id);
        return list.listProjectsOf(services, caller, owner, asked(params, page, sent));
      },
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/starred_projects',
      tag,
      summary: 'List projects starred by a user',
      gate: gates.anyone,
      params: { ...user, ...params.starredListParams },
      paginated: true,
      responses,
      handle: async ({ caller, params, page, sent }) => {
        const owner = await userByIdOrName(services.db.read, params.user_id);
        return list.listStarredBy(services, caller, owner, asked(params, page, sent));
      },
    }),
    route({
      method: 'GET',
      path: '/users/:user_id/contributed_projects',
      tag,
      summary: 'List projects contributed to by a user',
      gate: gates.anyone,
      params: { ...user, ...params.contributedListParams },
      paginated: true,
      responses,
      handle: async ({ caller, params, page, sent }) => {
        const owner = await userByIdOrName(services.db.read, params.user_id);
        return list.listContributedBy(services, caller, owner, asked(params, page, sent));
      },
    }),
  ];
}
