import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'invitations';

/** Routes for invitations by e-mail address. */
export function invitationRoutes(services: Services, gates: Gates): Route[] {
  return [...projectInvitationRoutes(services, gates), ...groupInvitationRoutes(services, gates)];
}

function projectInvitationRoutes(services: Services, gates: Gates): Route[] {
  const managing = gates.project('admin_member');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/invitations',
      tag,
      summary: 'List pending invitations of a project',
      gate: managing,
      params: schema.invitationList,
      paginated: true,
      responses: { 200: Type.Array(schema.Invitation) },
      handle: ({ subject, params, page }) => service.listInvitations(services, subject, params.query, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/invitations',
      tag,
      summary: 'Invite users to a project by e-mail address or user ID',
      gate: managing,
      params: schema.newInvitations,
      rules: [schema.validAddresses],
      responses: { 201: schema.Invited },
      handle: ({ caller, subject, params }) => service.invite(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/invitations/:email',
      tag,
      summary: 'Update an invitation to a project',
      gate: managing,
      params: schema.invitationChange,
      responses: { 200: schema.Invitation },
      handle: ({ subject, params }) => service.updateInvitation(services, subject, params.email, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/invitations/:email',
      tag,
      summary: 'Delete an invitation to a project',
      gate: managing,
      params: schema.oneInvitation,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteInvitation(services, subject, params.email, request),
    }),
  ];
}

function groupInvitationRoutes(services: Services, gates: Gates): Route[] {
  const managing = gates.group('admin_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/invitations',
      tag,
      summary: 'List pending invitations of a group',
      gate: managing,
      params: schema.invitationList,
      paginated: true,
      responses: { 200: Type.Array(schema.Invitation) },
      handle: ({ subject, params, page }) => service.listInvitations(services, subject, params.query, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/invitations',
      tag,
      summary: 'Invite users to a group by e-mail address or user ID',
      gate: managing,
      params: schema.newInvitations,
      rules: [schema.validAddresses],
      responses: { 201: schema.Invited },
      handle: ({ caller, subject, params }) => service.invite(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/invitations/:email',
      tag,
      summary: 'Update an invitation to a group',
      gate: managing,
      params: schema.invitationChange,
      responses: { 200: schema.Invitation },
      handle: ({ subject, params }) => service.updateInvitation(services, subject, params.email, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/invitations/:email',
      tag,
      summary: 'Delete an invitation to a group',
      gate: managing,
      params: schema.oneInvitation,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteInvitation(services, subject, params.email, request),
    }),
  ];
}
