import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import { search } from './service.ts';

const tag = 'search';
const responses = { 200: Type.Array(Type.Unknown()) };

export function searchRoutes(services: Services, gates: Gates): Route[] {
  const inGroup = gates.group('read_group', { signedIn: true });
  const inProject = gates.project('read_project', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/search',
      tag,
      summary: 'Search the instance',
      gate: gates.signedIn,
      params: schema.instanceSearch,
      paginated: true,
      responses,
      handle: ({ caller, params, page, signal }) => search(services, { caller, place: null, params, page, signal }),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/search',
      tag,
      summary: 'Search a group',
      gate: inGroup,
      params: schema.groupSearch,
      paginated: true,
      responses,
      handle: ({ caller, subject: place, params, page, signal }) =>
        search(services, { caller, place, params, page, signal }),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/-/search',
      tag,
      summary: 'Search a group (alternative path)',
      gate: inGroup,
      params: schema.groupSearch,
      paginated: true,
      responses,
      handle: ({ caller, subject: place, params, page, signal }) =>
        search(services, { caller, place, params, page, signal }),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/search',
      tag,
      summary: 'Search a project',
      gate: inProject,
      params: schema.projectSearch,
      paginated: true,
      responses,
      handle: ({ caller, subject: place, params, page, signal }) =>
        search(services, { caller, place, params, page, signal }),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/-/search',
      tag,
      summary: 'Search a project (alternative path)',
      gate: inProject,
      params: schema.projectSearch,
      paginated: true,
      responses,
      handle: ({ caller, subject: place, params, page, signal }) =>
        search(services, { caller, place, params, page, signal }),
    }),
  ];
}
