import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { newAlias, oneAlias, ProjectAlias } from './schema.ts';
import * as aliases from './service.ts';

const tag = 'project_aliases';

export function projectAliasRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/project_aliases',
      tag,
      summary: 'List all project aliases',
      gate: admin,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(ProjectAlias) },
      handle: ({ page }) => aliases.listAliases(services, page),
    }),
    route({
      method: 'GET',
      path: '/project_aliases/:name',
      tag,
      summary: 'Get project alias details',
      gate: admin,
      params: oneAlias,
      responses: { 200: ProjectAlias },
      handle: ({ params }) => aliases.getAlias(services, params.name),
    }),
    route({
      method: 'POST',
      path: '/project_aliases',
      tag,
      summary: 'Create a project alias',
      gate: admin,
      params: newAlias,
      responses: { 201: ProjectAlias },
      handle: ({ params }) => aliases.createAlias(services, params),
    }),
    route({
      method: 'DELETE',
      path: '/project_aliases/:name',
      tag,
      summary: 'Delete a project alias',
      gate: admin,
      params: oneAlias,
      responses: { 204: null },
      handle: ({ params }) => aliases.removeAlias(services, params.name),
    }),
  ];
}
