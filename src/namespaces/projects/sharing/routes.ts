import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { Group, PublicGroupDetails } from '../../groups/public.ts';
import { projectParam } from '../schema.ts';
import { GroupLink, invitedParams, projectGroupsParams, shareParams } from './schema.ts';
import * as sharing from './service.ts';

const tag = 'projects';

/** Routes to share a project with groups and to list related groups. */
export function sharingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/share',
      tag,
      summary: 'Share a project with a group',
      gate: gates.project('admin_project'),
      params: shareParams,
      responses: { 201: GroupLink },
      handle: ({ caller, subject, params }) => sharing.shareProject(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/share/:group_id',
      tag,
      summary: 'Delete a project share with a group',
      gate: gates.project('admin_project'),
      params: { ...projectParam, group_id: required(param.integer()) },
      responses: { 204: null },
      handle: ({ caller, subject, params }) => sharing.unshareProject(services, caller, subject, params.group_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/share_locations',
      tag,
      summary: 'List groups a project can be shared with',
      gate: gates.project('admin_project'),
      params: { ...projectParam, search: param.string() },
      paginated: true,
      responses: { 200: Type.Array(Group) },
      handle: ({ caller, subject, params, page }) =>
        sharing.listShareLocations(services, caller, subject, params.search, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/invited_groups',
      tag,
      summary: 'List groups invited to a project',
      gate: gates.project('read_project'),
      params: invitedParams,
      paginated: true,
      responses: { 200: Type.Array(Group) },
      handle: ({ caller, subject, params, page }) => sharing.listInvitedGroups(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/groups',
      tag,
      summary: 'List ancestor groups of a project',
      gate: gates.project('read_project'),
      params: projectGroupsParams,
      paginated: true,
      responses: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params, page }) => sharing.listProjectGroups(services, caller, subject, params, page),
    }),
  ];
}
