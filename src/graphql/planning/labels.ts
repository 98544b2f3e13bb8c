import { GraphQLError } from 'graphql';
import type { Entity, Query } from '../../platform/http/in-process.ts';
import { type Connection, connectionTypes, listOf, pageArguments, restConnection } from '../engine/connection.ts';
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

const labelFilters = `searchTerm: String, includeAncestorGroups: Boolean = false, ${pageArguments}`;

async function labelNamed(context: ResolverContext, place: string, title: string, query: Query = {}) {
  const found = await context.read(`${place}/labels/${encodeURIComponent(title)}`, query);
  // The API would take a title of digits for an id.
  return found?.name === title ? found : null;
}

async function listLabels(
  context: ResolverContext,
  place: string,
  { title, searchTerm, includeAncestorGroups: include_ancestor_groups, ...page }: Entity,
): Promise<Connection> {
  if (title != null) {
    const found = await labelNamed(context, place, title, { include_ancestor_groups });
    return listOf(found ? [found] : [], page);
  }
  return restConnection(context, `${place}/labels`, page, { query: { search: searchTerm, include_ancestor_groups } });
}

export const labels: Part = {
  types: `
    extend type Project {
      label(title: String!): Label
      labels(title: String, ${labelFilters}): LabelConnection
    }
    extend type Group { labels(title: String, ${labelFilters}): LabelConnection }
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
      label: ({ id }, { title }, context) => labelNamed(context, `/projects/${id}`, title),
      labels: ({ id }, args, context) => listLabels(context, `/projects/${id}`, args),
    },
    Group: { labels: ({ id }, args, context) => listLabels(context, `/groups/${id}`, args) },
    Mutation: { labelCreate: mutation(create) },
    Label: {
      id: ({ id, is_project_label }) => globalId(is_project_label === false ? 'GroupLabel' : 'ProjectLabel', id),
      title: ({ name }) => name,
    },
  },
};
