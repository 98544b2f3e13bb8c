import { creationLevelsOf, mayCreateProject, mayCreateSubgroup } from '../../access/namespaces/creation-levels.ts';
import { pageArguments, restConnection } from '../engine/connection.ts';
import type { Part } from '../engine/part.ts';

/** The namespaces in which the caller may create projects: their own and their groups. */
export const ownNamespaces: Part = {
  types: `
    extend type CurrentUser {
      groups(search: String, ${pageArguments}): GroupConnection
      namespace: Namespace
    }
    extend type Group { userPermissions: GroupPermissions! }
    "Permissions of the caller in a group."
    type GroupPermissions { createProjects: Boolean! createSubgroup: Boolean! readGroup: Boolean! }
  `,
  fields: {
    CurrentUser: {
      groups: (_user, { search, ...page }, context) =>
        restConnection(context, '/groups', page, { query: { search, all_available: false } }),
      namespace: ({ username }, _args, context) => context.read(`/namespaces/${encodeURIComponent(username)}`),
    },
    Group: { userPermissions: ({ id }) => ({ groupId: id }) },
    GroupPermissions: {
      createProjects: async ({ groupId }, _args, context) => {
        const subject = await context.group(groupId);
        return subject !== undefined && mayCreateProject(subject, creationLevelsOf(subject.group).project);
      },
      createSubgroup: async ({ groupId }, _args, context) => {
        const subject = await context.group(groupId);
        return subject !== undefined && mayCreateSubgroup(subject, creationLevelsOf(subject.group).subgroup);
      },
      readGroup: () => true,
    },
  },
};
