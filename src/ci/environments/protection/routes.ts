import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'protected environments';

/** Routes for protected environments of a project. */
export function projectProtectionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_protected_environment', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/protected_environments',
      tag,
      summary: 'List project-level protected environments',
      gate,
      params: schema.owner,
      paginated: true,
      responses: { 200: Type.Array(schema.ProtectedEnvironment) },
      handle: ({ subject, page }) => service.listProtections(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/protected_environments',
      tag,
      summary: 'Protect a single environment',
      gate,
      params: schema.creation,
      responses: { 201: schema.ProtectedEnvironment },
      handle: ({ caller, subject, params }) => service.protect(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/protected_environments/:name',
      tag,
      summary: 'Get a single protected environment',
      gate,
      params: schema.named,
      responses: { 200: schema.ProtectedEnvironment },
      handle: ({ subject, params }) => service.getProtection(services, subject, params.name),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/protected_environments/:name',
      tag,
      summary: 'Update a protected environment',
      gate,
      params: schema.change,
      responses: { 200: schema.ProtectedEnvironment },
      handle: ({ subject, params }) => service.updateProtection(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/protected_environments/:name',
      tag,
      summary: 'Unprotect a single environment',
      gate,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotect(services, caller, subject, params.name, request),
    }),
  ];
}

/** Routes for protected environments of a group, which apply by deployment tier to all its projects. */
export function groupProtectionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_protected_environment', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/protected_environments',
      tag,
      summary: 'List group-level protected environments',
      gate,
      params: schema.owner,
      paginated: true,
      responses: { 200: Type.Array(schema.ProtectedEnvironment) },
      handle: ({ subject, page }) => service.listProtections(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/protected_environments',
      tag,
      summary: 'Protect a deployment tier of a group',
      gate,
      params: schema.creation,
      responses: { 201: schema.ProtectedEnvironment },
      handle: ({ caller, subject, params }) => service.protect(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/protected_environments/:name',
      tag,
      summary: 'Get a group-level protected environment',
      gate,
      params: schema.named,
      responses: { 200: schema.ProtectedEnvironment },
      handle: ({ subject, params }) => service.getProtection(services, subject, params.name),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/protected_environments/:name',
      tag,
      summary: 'Update a group-level protected environment',
      gate,
      params: schema.change,
      responses: { 200: schema.ProtectedEnvironment },
      handle: ({ subject, params }) => service.updateProtection(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/protected_environments/:name',
      tag,
      summary: 'Unprotect a deployment tier of a group',
      gate,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotect(services, caller, subject, params.name, request),
    }),
  ];
}
