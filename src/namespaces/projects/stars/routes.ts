import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param } from '../../../platform/http/params.ts';
import { Project, projectParam } from '../schema.ts';
import { presentChanged } from '../views/present.ts';
import { Starrer } from './schema.ts';
import { listStarrers, starProject } from './service.ts';

const tag = 'projects';

export function starRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/star',
      tag,
      summary: 'Star a project',
      gate: gates.project('star_project'),
      params: projectParam,
      responses: { 201: Project, 304: null },
      handle: ({ caller, subject }) => presentChanged(services, caller, starProject(services, caller, subject, true)),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/unstar',
      tag,
      summary: 'Unstar a project',
      gate: gates.project('star_project'),
      params: projectParam,
      responses: { 201: Project, 304: null },
      handle: ({ caller, subject }) => presentChanged(services, caller, starProject(services, caller, subject, false)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/starrers',
      tag,
      summary: 'List starrers of a project',
      gate: gates.project('read_project'),
      params: { ...projectParam, search: param.string() },
      paginated: true,
      responses: { 200: Type.Array(Starrer) },
      handle: ({ caller, subject, params, page }) => listStarrers(services, caller, subject, params.search, page),
    }),
  ];
}
