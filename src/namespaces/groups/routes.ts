import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendAvatar } from '../../people/avatars/public.ts';
import { Message } from '../../platform/http/schema.ts';
import { actionRoutes } from './action-routes.ts';
import { createGroup } from './create.ts';
import { presentDetail } from './detail.ts';
import { listBelow, listGroups, listInvitedGroups, listSharedGroups } from './list.ts';
import * as params from './params.ts';
import { deleteGroup } from './removal.ts';
import { Group, GroupDetail, PublicGroupDetails } from './schema.ts';
import { listTransferLocations } from './transfer-locations.ts';
import { updateGroup } from './update.ts';

const tag = 'groups';

/** `/groups`. */
export function groupRoutes(services: Services, gates: Gates): Route[] {
  return [...singleRoutes(services, gates), ...listRoutes(services, gates), ...actionRoutes(services, gates)];
}

function singleRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups',
      tag,
      summary: 'Create a group',
      gate: gates.signedIn,
      params: params.creation,
      answers: { 201: GroupDetail },
      handle: ({ caller, params: wanted }) => createGroup(services, caller, wanted),
    }),
    route({
      method: 'GET',
      path: '/groups/:id',
      tag,
      summary: 'Get a group',
      gate: gates.group('read_group'),
      params: params.detail,
      answers: { 200: GroupDetail },
      handle: ({ caller, subject, params: { with_projects, ...additions } }) =>
        presentDetail(services, caller, subject, { ...additions, projects: with_projects, secrets: true }),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id',
      tag,
      summary: 'Update a group',
      gate: gates.group('admin_group'),
      params: params.update,
      answers: { 200: GroupDetail },
      handle: ({ caller, subject, params: change }) => updateGroup(services, caller, subject, change),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id',
      tag,
      summary: 'Mark a group for deletion, or remove a marked subgroup at once',
      gate: gates.group('remove_group'),
      params: params.deletion,
      answers: { 202: Message },
      handle: ({ caller, subject, params: wanted }) => deleteGroup(services, caller, subject, wanted),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/avatar',
      tag,
      summary: "Download a group's avatar",
      gate: gates.group('read_group'),
      params: params.owner,
      answers: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, reply }) => sendAvatar(services.storage, reply, subject.group.avatar),
    }),
  ];
}

function listRoutes(services: Services, gates: Gates): Route[] {
  const read = gates.group('read_group');
  const paginated = true;
  const answers = { 200: Type.Array(Group) };
  const below = { children: 'subgroups', descendants: 'descendant_groups' } as const;
  return [
    route({
      method: 'GET',
      path: '/groups',
      tag,
      summary: 'List groups',
      gate: gates.anyone,
      params: params.allGroups,
      paginated,
      answers,
      handle: ({ caller, params: list, page }) => listGroups(services, caller, list, page),
    }),
    ...(['children', 'descendants'] as const).map((depth) =>
      route({
        method: 'GET',
        path: `/groups/:id/${below[depth]}`,
        tag,
        summary: depth === 'children' ? 'List the subgroups of a group' : 'List the groups at any depth below a group',
        gate: read,
        params: params.listBelow,
        paginated,
        answers,
        handle: ({ caller, subject, params: list, page }) => listBelow(services, caller, subject, list, page, depth),
      }),
    ),
    route({
      method: 'GET',
      path: '/groups/:id/groups/shared',
      tag,
      summary: 'List the groups that a group was invited to',
      gate: read,
      params: params.sharedGroups,
      paginated,
      answers,
      handle: ({ caller, subject, params: list, page }) => listSharedGroups(services, caller, subject, list, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/invited_groups',
      tag,
      summary: 'List the groups that were invited to a group',
      gate: read,
      params: params.invitedGroups,
      paginated,
      answers,
      handle: ({ caller, subject, params: list, page }) => listInvitedGroups(services, caller, subject, list, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/transfer_locations',
      tag,
      summary: 'List the groups that a group can be moved into',
      gate: gates.group('admin_group'),
      params: params.transferLocations,
      paginated,
      answers: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params: { search }, page }) =>
        listTransferLocations(services, caller, subject, search, page),
    }),
  ];
}
