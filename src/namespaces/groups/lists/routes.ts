import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Group } from '../schema.ts';
import * as schema from './schema.ts';
import { listBelow, listGroups, listInvitedGroups, listSharedGroups } from './service.ts';

const tag = 'groups';
const responses = { 200: Type.Array(Group) };

export function listRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_group');
  return [
    route({
      method: 'GET',
      path: '/groups',
      tag,
      summary: 'List groups',
      gate: gates.anyone,
      params: schema.allGroups,
      paginated: true,
      responses,
      handle: ({ caller, params, page }) => listGroups(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/subgroups',
      tag,
      summary: 'List subgroups',
      gate: reading,
      params: schema.groupsBelow,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listBelow(services, caller, subject, params, page, 'children'),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/descendant_groups',
      tag,
      summary: 'List descendant groups',
      gate: reading,
      params: schema.groupsBelow,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listBelow(services, caller, subject, params, page, 'descendants'),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/groups/shared',
      tag,
      summary: 'List groups that a group is invited to',
      gate: reading,
      params: schema.sharedGroups,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listSharedGroups(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/invited_groups',
      tag,
      summary: 'List groups invited to a group',
      gate: reading,
      params: schema.invitedGroups,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => listInvitedGroups(services, caller, subject, params, page),
    }),
  ];
}
