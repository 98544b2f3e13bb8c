import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pages';

/** `/projects/:id/pages`. */
export function pagesRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pages',
      tag,
      summary: 'Get Pages settings and deployments of a project',
      gate: gates.project('read_pages', { signedIn: true }),
      params: schema.project,
      responses: { 200: schema.PagesSettings },
      handle: ({ subject }) => service.getSettings(services, subject),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/pages',
      tag,
      summary: 'Update Pages settings of a project',
      gate: gates.project('admin_pages'),
      params: schema.change,
      responses: { 200: schema.PagesSettings },
      handle: ({ caller, subject, params }) => service.changeSettings(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/pages',
      tag,
      summary: 'Unpublish the Pages site of a project',
      gate: gates.project('admin_pages'),
      params: schema.project,
      responses: { 204: null },
      handle: ({ caller, subject }) => service.unpublish(services, caller, subject),
    }),
  ];
}
