import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';

/** The labels of an issue or merge request with their details; single entities of the API only contain label names. */
export async function labelsOf(
  context: ResolverContext,
  { project_id, iid, labels: carried }: Entity,
  kind: 'issues' | 'merge_requests',
): Promise<readonly Entity[]> {
  if (carried.every((label: Entity) => typeof label === 'object')) return carried;
  const query = { scope: 'all', iids: [iid], with_labels_details: true };
  const [found] = (await context.read(`/projects/${project_id}/${kind}`, query)) ?? [];
  return found?.labels ?? [];
}

export const labels: Part = {
  types: `
    extend type Project {
      label(title: String!): Label
      labels(searchTerm: String, includeAncestorGroups: Boolean = false, ${pageArguments}): LabelConnection
    }
    extend type Group { labels(searchTerm: String, ${pageArguments}): LabelConnection }
    type Label { color: String! description: String id: ID! textColor: String! title: String! }
    ${connectionTypes('Label', 'count: Int!')}
  `,
  fields: {
    Project: {
      label: async ({ id }, { title }, context) => {
        const found = await context.read(`/projects/${id}/labels/${encodeURIComponent(title)}`);
        return found?.name === title ? found : null;
      },
      labels: ({ id }, { searchTerm, includeAncestorGroups, ...page }, context) =>
        restConnection(context, `/projects/${id}/labels`, page, {
          query: { search: searchTerm, include_ancestor_groups: includeAncestorGroups },
        }),
    },
    Group: {
      labels: ({ id }, { searchTerm, ...page }, context) =>
        restConnection(context, `/groups/${id}/labels`, page, { query: { search: searchTerm } }),
    },
    Label: {
      id: ({ id, is_project_label }) => globalId(is_project_label === false ? 'GroupLabel' : 'ProjectLabel', id),
      title: ({ name }) => name,
    },
  },
};
