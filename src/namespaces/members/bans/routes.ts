import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneMember, owner } from '../schema.ts';
import { BannedMember } from './schema.ts';
import * as service from './service.ts';

const tag = 'members';

/** Bans from a top-level group. */
export function banRoutes(services: Services, gates: Gates): Route[] {
  const managing = gates.group('admin_billable_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/members/banned',
      tag,
      summary: 'List banned members of a group',
      gate: managing,
      params: owner,
      paginated: true,
      responses: { 200: Type.Array(BannedMember) },
      handle: ({ subject, page }) => service.listBanned(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members/:user_id/ban',
      tag,
      summary: 'Ban a member from a group',
      gate: managing,
      params: oneMember,
      responses: { 201: Type.Boolean() },
      handle: ({ caller, subject, params }) => service.banMember(services, caller, subject, params.user_id),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/members/:user_id/ban',
      tag,
      summary: 'Unban a member of a group',
      gate: managing,
      params: oneMember,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.unbanMember(services, caller, subject, params.user_id),
    }),
  ];
}
