import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { projectRoles } from '../../../access/roles.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { attributeParams } from '../../../people/custom-attributes/public.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { day, entity, nullable } from '../../../platform/http/schema.ts';
import { Group, PublicGroupDetails } from '../../groups/public.ts';
import { importMembers } from '../import-members.ts';
import * as params from '../params.ts';
import { Project, Starrer } from '../schema.ts';
import * as life from '../service.ts';
import { listStarrers } from '../stars/service.ts';
import { listTransferLocations } from '../transfer/list.ts';
import * as people from '../users/list.ts';
import { listInvitedGroups, listShareLocations } from './list.ts';
import { shareProject, unshareProject } from './service.ts';

const tag = 'projects';

const GroupLink = entity('ProjectGroupLink', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  group_id: Type.Integer(),
  group_access: Type.Integer(),
  expires_at: nullable(day()),
});

/** Stars, sharing, moving, and the people around a project. */
export function actionRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...starRoutes(services, gates),
    ...shareRoutes(services, gates),
    ...transferRoutes(services, gates),
    ...peopleRoutes(services, gates),
  ];
}

function starRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...[true, false].map((wanted) =>
      route({
        method: 'POST',
        path: `/projects/:id/${wanted ? 'star' : 'unstar'}`,
        tag,
        summary: wanted ? 'Star a project' : 'Take a star back',
        gate: gates.project('star_project'),
        params: params.project,
        answers: { 201: Project, 304: null },
        handle: ({ caller, subject }) => life.star(services, caller, subject, wanted),
      }),
    ),
    route({
      method: 'GET',
      path: '/projects/:id/starrers',
      tag,
      summary: 'List who starred a project',
      gate: gates.project('read_project'),
      params: { ...params.project, search: param.string() },
      paginated: true,
      answers: { 200: Type.Array(Starrer) },
      handle: ({ caller, subject, params, page }) => listStarrers(services, caller.user, subject, params.search, page),
    }),
  ];
}

function shareRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/share',
      tag,
      summary: 'Share a project with a group',
      gate: gates.project('admin_project'),
      params: {
        ...params.project,
        group_id: required(param.integer()),
        group_access: required(param.integerOf(projectRoles)),
        expires_at: param.date(),
        member_role_id: param.integer(),
      },
      answers: { 201: GroupLink },
      handle: ({ caller, subject, params }) => shareProject(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/share/:group_id',
      tag,
      summary: 'End the sharing of a project with a group',
      gate: gates.project('admin_project'),
      params: { ...params.project, group_id: required(param.integer()) },
      answers: { 204: null },
      handle: ({ caller, subject, params }) => unshareProject(services, caller, subject, params.group_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/share_locations',
      tag,
      summary: 'List the groups that a project can be shared with',
      gate: gates.project('admin_project'),
      params: { ...params.project, search: param.string() },
      paginated: true,
      answers: { 200: Type.Array(Group) },
      handle: ({ caller, subject, params, page }) => listShareLocations(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/invited_groups',
      tag,
      summary: 'List the groups that were invited to a project',
      gate: gates.project('read_project'),
      params: {
        ...params.project,
        relation: param.oneOrMoreOf(['direct', 'inherited']),
        search: param.string(),
        min_access_level: param.integerOf(projectRoles),
        ...attributeParams,
      },
      paginated: true,
      answers: { 200: Type.Array(Group) },
      handle: ({ caller, subject, params, page }) => listInvitedGroups(services, caller, subject, params, page),
    }),
  ];
}

function transferRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/transfer',
      tag,
      summary: 'Move a project to another namespace',
      gate: gates.project('transfer_project'),
      params: params.transfer,
      answers: { 200: Project },
      handle: ({ caller, subject, params }) => life.transfer(services, caller, subject, params.namespace),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/transfer_locations',
      tag,
      summary: 'List the groups that a project can be moved to',
      gate: gates.project('transfer_project'),
      params: { ...params.project, search: param.string() },
      paginated: true,
      answers: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params, page }) =>
        listTransferLocations(services, caller, subject, params.search, page),
    }),
  ];
}

function peopleRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/users',
      tag,
      summary: 'List the people of a project',
      gate: gates.project('read_member'),
      params: { ...params.project, search: param.string(), skip_users: param.integers() },
      paginated: true,
      answers: { 200: Type.Array(BasicUser) },
      handle: ({ subject, params, page }) => people.listUsers(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/groups',
      tag,
      summary: 'List the groups around a project',
      gate: gates.project('read_project'),
      params: {
        ...params.project,
        search: param.string(),
        skip_groups: param.integers(),
        with_shared: withDefault(param.boolean(), false),
        shared_visible_only: withDefault(param.boolean(), false),
        shared_min_access_level: param.integerOf(projectRoles),
      },
      paginated: true,
      answers: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params, page }) => people.listGroups(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/import_project_members/:project_id',
      tag,
      summary: 'Take over the members of another project',
      gate: gates.project('admin_member'),
      params: { ...params.project, project_id: required(param.integer()) },
      answers: { 201: Type.Object({ status: Type.String() }) },
      handle: ({ caller, subject, params }) => importMembers(services, caller, subject, params.project_id),
    }),
  ];
}
