import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Member, oneMember, owner } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'access requests';

/** Routes for access requests of projects and groups. */
export function accessRequestRoutes(services: Services, gates: Gates): Route[] {
  return [...projectAccessRequestRoutes(services, gates), ...groupAccessRequestRoutes(services, gates)];
}

function projectAccessRequestRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_member', { signedIn: true });
  const managing = gates.project('admin_member');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/access_requests',
      tag,
      summary: 'List access requests for a project',
      gate: managing,
      params: owner,
      paginated: true,
      responses: { 200: Type.Array(schema.AccessRequest) },
      handle: ({ subject, page }) => service.listAccessRequests(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/access_requests',
      tag,
      summary: 'Request access to a project',
      gate: reading,
      params: owner,
      responses: { 201: schema.AccessRequest },
      handle: ({ caller, subject }) => service.requestAccess(services, caller, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/access_requests/:user_id/approve',
      tag,
      summary: 'Approve an access request for a project',
      gate: managing,
      params: schema.approval,
      responses: { 201: Member },
      handle: ({ caller, subject, params: { user_id, access_level } }) =>
        service.approveAccessRequest(services, caller, subject, user_id, access_level),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/access_requests/:user_id',
      tag,
      summary: 'Deny an access request for a project',
      gate: reading,
      params: oneMember,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.denyAccessRequest(services, caller, subject, params.user_id),
    }),
  ];
}

function groupAccessRequestRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_member', { signedIn: true });
  const managing = gates.group('admin_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/access_requests',
      tag,
      summary: 'List access requests for a group',
      gate: managing,
      params: owner,
      paginated: true,
      responses: { 200: Type.Array(schema.AccessRequest) },
      handle: ({ subject, page }) => service.listAccessRequests(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/access_requests',
      tag,
      summary: 'Request access to a group',
      gate: reading,
      params: owner,
      responses: { 201: schema.AccessRequest },
      handle: ({ caller, subject }) => service.requestAccess(services, caller, subject),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/access_requests/:user_id/approve',
      tag,
      summary: 'Approve an access request for a group',
      gate: managing,
      params: schema.approval,
      responses: { 201: Member },
      handle: ({ caller, subject, params: { user_id, access_level } }) =>
        service.approveAccessRequest(services, caller, subject, user_id, access_level),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/access_requests/:user_id',
      tag,
      summary: 'Deny an access request for a group',
      gate: reading,
      params: oneMember,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.denyAccessRequest(services, caller, subject, params.user_id),
    }),
  ];
}
