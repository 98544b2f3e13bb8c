import { GraphQLError } from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { globalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { findByPath } from '../projects/projects.ts';

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

async function create(context: ResolverContext, { projectPath, groupPath, title, color, description }: Entity) {
  if ((projectPath == null) === (groupPath == null)) {
    throw new GraphQLError('Exactly one of the arguments groupPath and projectPath is required');
  }
  const kind = projectPath == null ? 'groups' : 'projects';
  const place = await findByPath(context, kind, projectPath ?? groupPath);
  if (!place) throw notAvailable();
  const sent = { name: title, color, description: description ?? undefined };
  const { entity, errors } = await context.send('POST', `/${kind}/${place.id}/labels`, sent);
  return { label: entity && { ...entity, is_project_label: kind === 'projects' }, errors };
}

export const labels: Part = {
  types: `
    extend type Project {
      label(title: String!): Label
      labels(searchTerm: String, includeAncestorGroups: Boolean = false, ${pageArguments}): LabelConnection
    }
    extend type Group { labels(searchTerm: String, ${pageArguments}): LabelConnection }
    extend type Mutation { labelCreate(input: LabelCreateInput!): LabelCreatePayload }
    ${mutationTypes(
      'LabelCreate',
      'color: String = "#6699cc" description: String groupPath: ID projectPath: ID title: String!',
      'label: Label',
    )}
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
    Mutation: { labelCreate: mutation(create) },
    Label: {
      id: ({ id, is_project_label }) => globalId(is_project_label === false ? 'GroupLabel' : 'ProjectLabel', id),
      title: ({ name }) => name,
    },
  },
};
