import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendAvatar } from '../../people/avatars/public.ts';
import { presentDetail } from './detail/present.ts';
import { GroupDetail } from './detail/schema.ts';
import * as schema from './schema.ts';
import { createGroup, updateGroup } from './service.ts';

const tag = 'groups';

export function groupRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups',
      tag,
      summary: 'Create a group',
      gate: gates.signedIn,
      params: schema.newGroup,
      responses: { 201: GroupDetail },
      handle: ({ caller, params }) => createGroup(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id',
      tag,
      summary: 'Get a group',
      gate: gates.group('read_group'),
      params: schema.oneGroup,
      responses: { 200: GroupDetail },
      handle: ({ caller, subject, params: { with_projects, ...additions } }) =>
        presentDetail(services, caller, subject, { ...additions, projects: with_projects, secrets: true }),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id',
      tag,
      summary: 'Update a group',
      gate: gates.group('admin_group'),
      params: schema.groupChange,
      responses: { 200: GroupDetail },
      handle: ({ caller, subject, params }) => updateGroup(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/avatar',
      tag,
      summary: 'Download a group avatar',
      gate: gates.group('read_group'),
      params: schema.owner,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, reply }) => sendAvatar(services.storage, reply, subject.group.avatar),
    }),
  ];
}
