import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../platform/http/params.ts';
import { addMembers } from './add.ts';
import { removeMember, updateMember } from './change.ts';
import { invitationRoutes } from './invitation-routes.ts';
import type { Kind } from './kind.ts';
import { getMember, listAllMembers, listMembers } from './list.ts';
import * as params from './params.ts';
import { accessRequestRoutes } from './request-routes.ts';
import { Added, Member } from './schema.ts';

const tag = 'members';

/** Members, invitations and access requests, of `/projects/:id` and `/groups/:id` alike. */
export function memberRoutes(services: Services, gates: Gates): Route[] {
  const signedIn = { signedIn: true };
  const kinds: Kind[] = [
    { path: '/projects/:id', read: gates.project('read_member', signedIn), admin: gates.project('admin_member') },
    { path: '/groups/:id', read: gates.group('read_member', signedIn), admin: gates.group('admin_member') },
  ];
  return kinds.flatMap((kind) => [
    ...reading(services, kind),
    ...changing(services, kind),
    ...invitationRoutes(services, kind),
    ...accessRequestRoutes(services, kind),
  ]);
}

function reading(services: Services, { path, read }: Kind): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/members`,
      tag,
      summary: 'List the members of the place itself',
      gate: read,
      params: params.list,
      paginated: true,
      answers: { 200: Type.Array(Member) },
      handle: ({ caller, subject, params: filter, page }) => listMembers(services, caller, subject, filter, page),
    }),
    route({
      method: 'GET',
      path: `${path}/members/all`,
      tag,
      summary: 'List everyone who has a role, inherited and invited ones included',
      gate: read,
      params: params.listAll,
      paginated: true,
      answers: { 200: Type.Array(Member) },
      handle: ({ caller, subject, params: filter, page }) => listAllMembers(services, caller, subject, filter, page),
    }),
    route({
      method: 'GET',
      path: `${path}/members/:user_id`,
      tag,
      summary: 'Get a member of the place itself',
      gate: read,
      params: params.one,
      answers: { 200: Member },
      handle: ({ caller, subject, params: { user_id } }) => getMember(services, caller, subject, user_id),
    }),
    route({
      method: 'GET',
      path: `${path}/members/all/:user_id`,
      tag,
      summary: 'Get someone who has a role, inherited and invited ones included',
      gate: read,
      params: params.one,
      answers: { 200: Member },
      handle: ({ caller, subject, params: { user_id } }) => getMember(services, caller, subject, user_id, 'all'),
    }),
  ];
}

function changing(services: Services, { path, read, admin }: Kind): Route[] {
  return [
    route({
      method: 'POST',
      path: `${path}/members`,
      tag,
      summary: 'Add a member, or several',
      gate: admin,
      params: params.addition,
      rules: [mutuallyExclusive('user_id', 'username'), atLeastOneOf('user_id', 'username')],
      answers: { 201: Added },
      handle: ({ caller, subject, params: wanted }) => addMembers(services, caller, subject, wanted),
    }),
    route({
      method: 'PUT',
      path: `${path}/members/:user_id`,
      tag,
      summary: 'Change the role of a member',
      gate: admin,
      params: params.change,
      answers: { 200: Member },
      handle: ({ caller, subject, params: { user_id, ...grant } }) =>
        updateMember(services, caller, subject, user_id, grant),
    }),
    route({
      method: 'DELETE',
      path: `${path}/members/:user_id`,
      tag,
      summary: 'Remove a member, or leave',
      // People may leave by themselves, whatever their role.
      gate: read,
      params: params.removal,
      answers: { 204: null },
      handle: ({ caller, subject, params: { user_id, ...options } }) =>
        removeMember(services, caller, subject, user_id, options),
    }),
  ];
}
