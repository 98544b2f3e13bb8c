import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pages domains';

/** `/pages/domains` and `/projects/:id/pages/domains`. */
export function domainRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_pages', { signedIn: true });
  const managing = gates.project('admin_pages');
  return [
    route({
      method: 'GET',
      path: '/pages/domains',
      tag,
      summary: 'List all Pages domains',
      gate: gates.admin,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.BasicPagesDomain) },
      handle: ({ page }) => service.listAll(services, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pages/domains',
      tag,
      summary: 'List Pages domains of a project',
      gate: reading,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.PagesDomain) },
      handle: ({ subject, page }) => service.listOfProject(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/pages/domains',
      tag,
      summary: 'Create a Pages domain',
      gate: managing,
      params: schema.creation,
      responses: { 201: schema.PagesDomain },
      handle: ({ caller, subject, params }) => service.createDomain(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pages/domains/:domain',
      tag,
      summary: 'Get a Pages domain',
      gate: reading,
      params: schema.named,
      responses: { 200: schema.PagesDomain },
      handle: ({ subject, params }) => service.getDomain(services, subject, params.domain),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pages/domains/:domain',
      tag,
      summary: 'Update a Pages domain',
      gate: managing,
      params: schema.change,
      responses: { 200: schema.PagesDomain },
      handle: ({ caller, subject, params }) => service.changeDomain(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pages/domains/:domain/verify',
      tag,
      summary: 'Verify a Pages domain',
      gate: managing,
      params: schema.named,
      responses: { 200: schema.PagesDomain },
      handle: ({ subject, params }) => service.verifyDomain(services, subject, params.domain),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/pages/domains/:domain',
      tag,
      summary: 'Delete a Pages domain',
      gate: managing,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteDomain(services, caller, subject, params.domain),
    }),
  ];
}
