import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { accessLevel, projectById } from '../projects/projects.ts';
import { userById } from './users.ts';

const memberFields = `
  accessLevel: AccessLevel
  createdAt: Time
  createdBy: UserCore
  expiresAt: Time
  id: ID!
  user: UserCore
`;

const search = `search: String, relations: [MemberRelation!], ${pageArguments}`;

/** Resolves the direct members of a project or group, or everyone with a role in it. */
const membersOf =
  (kind: 'project' | 'group'): Resolve =>
  ({ id }, args, context) => {
    const isDirect = args.relations?.length === 1 && args.relations[0] === 'DIRECT';
    return restConnection(context, `/${kind}s/${id}/${isDirect ? 'members' : 'members/all'}`, args, {
      query: { query: args.search },
      as: (member: Entity) => ({ ...member, [`${kind}Id`]: id }),
    });
  };

/** Resolves the memberships of a user, which the API only shows to the users themselves. */
const memberships =
  (kind: 'project' | 'group'): Resolve =>
  ({ id }, page, context) => {
    if (id !== context.caller.user?.id) return null;
    return restConnection(context, `/${kind}s`, page, {
      query: kind === 'project' ? { membership: true } : { all_available: false },
      as: (entity: Entity) => ({ id, [`${kind}Id`]: entity.id }),
    });
  };

const ownFields = `
  groupMemberships(${pageArguments}): GroupMemberConnection
  projectMemberships(${pageArguments}): ProjectMemberConnection
`;

export const members: Part = {
  types: `
    extend type Project { projectMembers(${search}): MemberInterfaceConnection }
    extend type Group { groupMembers(${search}): MemberInterfaceConnection }
    extend interface User { ${ownFields} }
    extend type UserCore { ${ownFields} }
    extend type CurrentUser { ${ownFields} }
    extend type MergeRequestReviewer { ${ownFields} }
    enum MemberRelation { DESCENDANTS DIRECT INHERITED INVITED_GROUPS SHARED_FROM_GROUPS SHARED_INTO_ANCESTORS }
    "A member of a project or group."
    interface MemberInterface { ${memberFields} }
    type ProjectMember implements MemberInterface { ${memberFields} project: Project }
    type GroupMember implements MemberInterface { ${memberFields} group: Group }
    ${connectionTypes('MemberInterface', 'count: Int!')}
    ${connectionTypes('ProjectMember', 'count: Int!')}
    ${connectionTypes('GroupMember', 'count: Int!')}
  `,
  kinds: { MemberInterface: ({ projectId }) => (projectId === undefined ? 'GroupMember' : 'ProjectMember') },
  fields: {
    Project: { projectMembers: membersOf('project') },
    Group: { groupMembers: membersOf('group') },
    User: { projectMemberships: memberships('project'), groupMemberships: memberships('group') },
    MemberInterface: {
      accessLevel: async ({ access_level, projectId, groupId }, _args, context) => {
        if (access_level !== undefined) return accessLevel(access_level);
        if (projectId !== undefined) return accessLevel((await context.project(projectId))?.levels.highest ?? 0);
        return accessLevel((await context.group(groupId))?.standing.level ?? 0);
      },
      // The API identifies members by user id.
      id: ({ id, projectId }) => globalId(projectId === undefined ? 'GroupMember' : 'ProjectMember', id),
      user: ({ created_at, ...member }, _args, context) =>
        member.username === undefined ? userById(context, member.id) : member,
    },
    ProjectMember: { project: ({ projectId }, _args, context) => projectById(context, projectId) },
    GroupMember: {
      group: ({ groupId }, _args, context) => context.read(`/groups/${groupId}`, { with_projects: false }),
    },
  },
};
