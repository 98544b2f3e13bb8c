import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { owner } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'members';

/** Memberships awaiting approval in a top-level group hierarchy. */
export function awaitingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_billable_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/pending_members',
      tag,
      summary: 'List pending members of a group',
      gate,
      params: owner,
      paginated: true,
      responses: { 200: Type.Array(schema.PendingMember) },
      handle: ({ subject, page }) => service.listPendingMembers(services, subject, page),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/members/:user_id/state',
      tag,
      summary: 'Change the membership state of a user in a group',
      gate,
      params: schema.stateChange,
      responses: { 200: schema.Success },
      handle: ({ caller, subject, params }) =>
        service.setMembershipState(services, caller, subject, params.user_id, params.state),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/members/:member_id/approve',
      tag,
      summary: 'Approve a pending member of a group',
      gate,
      params: schema.approval,
      responses: { 200: schema.Success },
      handle: ({ caller, subject, params }) => service.approveMember(services, caller, subject, params.member_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members/approve_all',
      tag,
      summary: 'Approve all pending members of a group',
      gate,
      params: owner,
      responses: { 201: schema.Success },
      handle: ({ caller, subject }) => service.approveAll(services, caller, subject),
    }),
  ];
}
