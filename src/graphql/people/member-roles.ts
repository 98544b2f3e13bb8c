import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { accessLevel } from '../projects/projects.ts';

/** Custom roles of the instance, for administrators, and those that members of a group can have. */
export const memberRoles: Part = {
  types: `
    extend type Query { memberRoles(${pageArguments}): MemberRoleConnection }
    extend type Group { memberRoles(${pageArguments}): MemberRoleConnection }
    type MemberRole { baseAccessLevel: AccessLevel! description: String id: ID! name: String }
    ${connectionTypes('MemberRole', 'count: Int!')}
  `,
  fields: {
    Query: { memberRoles: (_root, page, context) => restConnection(context, '/member_roles', page) },
    Group: {
      memberRoles: ({ id }, page, context) => restConnection(context, `/groups/${id}/assignable_member_roles`, page),
    },
    MemberRole: {
      baseAccessLevel: ({ base_access_level }) => accessLevel(base_access_level),
      id: ({ id }) => globalId('MemberRole', id),
    },
  },
};
