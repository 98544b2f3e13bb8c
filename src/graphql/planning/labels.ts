import { connectionTypes, listed, pageArguments } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';

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
      label: async ({ id }, { title }, asking) => {
        const found = await asking.read(`/projects/${id}/labels/${encodeURIComponent(title)}`);
        return found?.name === title ? found : null;
      },
      labels: ({ id }, { searchTerm, includeAncestorGroups, ...page }, asking) =>
        listed(asking, `/projects/${id}/labels`, page, {
          query: { search: searchTerm, include_ancestor_groups: includeAncestorGroups },
        }),
    },
    Group: {
      labels: ({ id }, { searchTerm, ...page }, asking) =>
        listed(asking, `/groups/${id}/labels`, page, { query: { search: searchTerm } }),
    },
    Label: {
      id: ({ id, is_project_label }) => globalId(is_project_label === false ? 'GroupLabel' : 'ProjectLabel', id),
      title: ({ name }) => name,
    },
  },
};
