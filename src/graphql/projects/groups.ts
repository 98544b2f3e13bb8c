import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { asNamespace, findByPath } from './projects.ts';

const namespaceModels: Readonly<Record<string, string>> = {
  group: 'Group',
  project: 'Namespaces::ProjectNamespace',
  user: 'Namespaces::UserNamespace',
};

export const groups: Part = {
  types: `
    extend type Query {
      group(fullPath: ID!): Group
      groups(allAvailable: Boolean, search: String, topLevelOnly: Boolean, ownedOnly: Boolean, ${pageArguments}): GroupConnection
      namespace(fullPath: ID!): Namespace
    }
    type Group {
      avatarUrl: String
      createdAt: Time
      description: String
      fullName: String!
      fullPath: ID!
      id: ID!
      lfsEnabled: Boolean
      name: String!
      parent: Group
      path: String!
      projects(includeSubgroups: Boolean = false, search: String, ${pageArguments}): ProjectConnection!
      descendantGroups(search: String, ${pageArguments}): GroupConnection
      requestAccessEnabled: Boolean
      visibility: String
      webUrl: String!
    }
    "A group, a personal namespace or a project."
    type Namespace { fullName: String! fullPath: ID! id: ID! name: String! path: String! visibility: String }
    ${connectionTypes('Group', 'count: Int!')}
  `,
  fields: {
    Query: {
      group: (_source, { fullPath }, context) => findByPath(context, 'groups', fullPath),
      groups: (_source, { allAvailable, search, topLevelOnly, ownedOnly, ...page }, context) =>
        restConnection(context, '/groups', page, {
          query: { all_available: allAvailable, search, top_level_only: topLevelOnly, owned: ownedOnly },
        }),
      namespace: async (_source, { fullPath }, context) => {
        const found = await context.read(`/namespaces/${encodeURIComponent(fullPath)}`);
        if (found?.full_path.toLowerCase() === fullPath.toLowerCase()) return found;
        const project = await findByPath(context, 'projects', fullPath);
        return project && asNamespace(project);
      },
    },
    Group: {
      id: ({ id }) => globalId('Group', id),
      parent: ({ parent_id }, _args, context) =>
        parent_id === null ? null : context.read(`/groups/${parent_id}`, { with_projects: false }),
      projects: ({ id }, { includeSubgroups, search, ...page }, context) =>
        restConnection(context, `/groups/${id}/projects`, page, {
          query: { include_subgroups: includeSubgroups, search },
        }),
      descendantGroups: ({ id }, { search, ...page }, context) =>
        restConnection(context, `/groups/${id}/descendant_groups`, page, { query: { search } }),
    },
    Namespace: {
      id: ({ id, kind }) => globalId(namespaceModels[kind] ?? 'Namespace', id),
      fullName: ({ full_name, name }) => full_name ?? name,
    },
  },
};
