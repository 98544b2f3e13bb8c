import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { approveAccessRequest, denyAccessRequest, listAccessRequests, requestAccess } from './access-requests.ts';
import type { Kind } from './kind.ts';
import * as params from './params.ts';
import { AccessRequest, Member } from './schema.ts';

const tag = 'access requests';

/** Requests of people who want to become members. */
export function accessRequestRoutes(services: Services, { path, read, admin }: Kind): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/access_requests`,
      tag,
      summary: 'List who asks for access',
      gate: admin,
      params: params.owner,
      paginated: true,
      answers: { 200: Type.Array(AccessRequest) },
      handle: ({ subject, page }) => listAccessRequests(services, subject, page),
    }),
    route({
      method: 'POST',
      path: `${path}/access_requests`,
      tag,
      summary: 'Ask for access',
      gate: read,
      params: params.owner,
      answers: { 201: AccessRequest },
      handle: ({ caller, subject }) => requestAccess(services, caller, subject),
    }),
    route({
      method: 'PUT',
      path: `${path}/access_requests/:user_id/approve`,
      tag,
      summary: 'Grant a request for access',
      gate: admin,
      params: params.approval,
      answers: { 201: Member },
      handle: ({ caller, subject, params: { user_id, access_level } }) =>
        approveAccessRequest(services, caller, subject, user_id, access_level),
    }),
    route({
      method: 'DELETE',
      path: `${path}/access_requests/:user_id`,
      tag,
      summary: 'Refuse a request for access, or take back your own',
      gate: read,
      params: params.one,
      answers: { 204: null },
      handle: ({ caller, subject, params: { user_id } }) => denyAccessRequest(services, caller, subject, user_id),
    }),
  ];
}
