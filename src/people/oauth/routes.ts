import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as service from './applications.ts';
import * as schema from './schema.ts';

const tag = 'applications';

/** Routes for instance applications, the caller's own and those the caller has authorized. */
export function applicationRoutes(services: Services, gates: Gates): Route[] {
  const listing = { params: {}, paginated: true, responses: { 200: Type.Array(schema.Application) } } as const;
  const renewing = { params: schema.numbered, responses: { 201: schema.NewApplication } };
  const removing = { params: schema.numbered, responses: { 204: null } };
  return [
    route({
      method: 'GET',
      path: '/applications',
      tag,
      summary: 'List instance OAuth applications',
      gate: gates.admin,
      ...listing,
      handle: ({ page }) => service.listApplications(services, undefined, page),
    }),
    route({
      method: 'POST',
      path: '/applications',
      tag,
      summary: 'Create an instance OAuth application',
      gate: gates.admin,
      params: schema.ofInstance,
      responses: { 201: schema.NewApplication },
      handle: ({ params }) => service.createApplication(services, undefined, params),
    }),
    route({
      method: 'POST',
      path: '/applications/:id(^\\d+$)/renew-secret',
      tag,
      summary: 'Renew the secret of an instance OAuth application',
      gate: gates.admin,
      ...renewing,
      handle: ({ params }) => service.renewSecret(services, undefined, params.id),
    }),
    route({
      method: 'DELETE',
      path: '/applications/:id(^\\d+$)',
      tag,
      summary: 'Delete an instance OAuth application',
      gate: gates.admin,
      ...removing,
      handle: ({ params }) => service.deleteApplication(services, undefined, params.id),
    }),
    route({
      method: 'GET',
      path: '/user/applications',
      tag,
      summary: 'List OAuth applications of the current user',
      gate: gates.signedIn,
      ...listing,
      handle: ({ subject, page }) => service.listApplications(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/user/applications',
      tag,
      summary: 'Create an OAuth application of the current user',
      gate: gates.signedIn,
      params: schema.creation,
      responses: { 201: schema.NewApplication },
      handle: ({ subject, params }) => service.createApplication(services, subject, params),
    }),
    route({
      method: 'POST',
      path: '/user/applications/:id(^\\d+$)/renew-secret',
      tag,
      summary: 'Renew the secret of an OAuth application of the current user',
      gate: gates.signedIn,
      ...renewing,
      handle: ({ subject, params }) => service.renewSecret(services, subject, params.id),
    }),
    route({
      method: 'DELETE',
      path: '/user/applications/:id(^\\d+$)',
      tag,
      summary: 'Delete an OAuth application of the current user',
      gate: gates.signedIn,
      ...removing,
      handle: ({ subject, params }) => service.deleteApplication(services, subject, params.id),
    }),
    route({
      method: 'GET',
      path: '/user/authorized_applications',
      tag,
      summary: 'List OAuth applications authorized by the current user',
      gate: gates.signedIn,
      ...listing,
      handle: ({ subject, page }) => service.listAuthorized(services, subject, page),
    }),
    route({
      method: 'DELETE',
      path: '/user/authorized_applications/:id(^\\d+$)',
      tag,
      summary: 'Revoke the authorization of an OAuth application',
      gate: gates.signedIn,
      ...removing,
      handle: ({ subject, params }) => service.revokeApplication(services, subject, params.id),
    }),
  ];
}
