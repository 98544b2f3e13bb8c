import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneMember } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'members';

/** Billable members of a top-level group and their memberships. */
export function billableRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_billable_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/billable_members',
      tag,
      summary: 'List billable members of a group',
      gate,
      params: schema.billableList,
      paginated: true,
      responses: { 200: Type.Array(schema.BillableMember) },
      handle: ({ caller, subject, params, page }) => service.listBillable(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/billable_members/:user_id/memberships',
      tag,
      summary: 'List memberships of a billable member of a group',
      gate,
      params: oneMember,
      paginated: true,
      responses: { 200: Type.Array(schema.BillableMembership) },
      handle: ({ subject, params, page }) => service.listMemberships(services, subject, params.user_id, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/billable_members/:user_id/indirect',
      tag,
      summary: 'List indirect memberships of a billable member of a group',
      gate,
      params: oneMember,
      paginated: true,
      responses: { 200: Type.Array(schema.BillableMembership) },
      handle: ({ caller, subject, params, page }) =>
        service.listIndirect(services, caller, subject, params.user_id, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/billable_members/:user_id',
      tag,
      summary: 'Remove a billable member from a group',
      gate,
      params: oneMember,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.removeBillable(services, caller, subject, params.user_id),
    }),
  ];
}
