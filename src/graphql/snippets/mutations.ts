import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf } from '../api-paths.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { findByPath } from '../projects/projects.ts';

const filesOf = (actions: readonly Entity[] | null | undefined) =>
  actions?.map(({ action, filePath, previousPath, content }) => ({
    action,
    file_path: filePath,
    previous_path: previousPath ?? undefined,
    content: content ?? undefined,
  }));

/** The API path for a new snippet, of a project or of the caller. */
async function placeFor(context: ResolverContext, projectPath: string | null | undefined): Promise<string> {
  if (projectPath == null) return '/snippets';
  const project = await findByPath(context, 'projects', projectPath);
  if (!project) throw notAvailable();
  return `/projects/${project.id}/snippets`;
}

async function create(context: ResolverContext, input: Entity) {
  const { entity, errors } = await context.send('POST', await placeFor(context, input.projectPath), {
    title: input.title,
    description: input.description ?? undefined,
    visibility: input.visibilityLevel,
    files: filesOf(input.blobActions)?.map(({ file_path, content }) => ({ file_path, content: content ?? '' })),
  });
  return { snippet: entity, errors };
}

async function update(context: ResolverContext, input: Entity) {
  const place = await apiPathOf(context.services.db.read, input.id);
  const snippet = place && (await context.read(place.path));
  if (!place || !snippet) throw notAvailable();
  const { entity, errors } = await context.send('PUT', place.path, {
    title: input.title ?? undefined,
    description: input.description ?? undefined,
    visibility: input.visibilityLevel ?? undefined,
    files: filesOf(input.blobActions),
  });
  return { snippet: entity ?? snippet, errors };
}

async function destroy(context: ResolverContext, { id }: Entity) {
  const place = await apiPathOf(context.services.db.read, id);
  if (!place) throw notAvailable();
  const { errors } = await context.send('DELETE', place.path);
  return { snippet: null, errors };
}

export const snippetMutations: Part = {
  types: `
    extend type Mutation {
      createSnippet(input: CreateSnippetInput!): CreateSnippetPayload
      destroySnippet(input: DestroySnippetInput!): DestroySnippetPayload
      updateSnippet(input: UpdateSnippetInput!): UpdateSnippetPayload
    }
    enum SnippetBlobActionEnum { create delete move update }
    input SnippetBlobActionInputType {
      action: SnippetBlobActionEnum!
      content: String
      filePath: String!
      previousPath: String
    }
    ${mutationTypes(
      'CreateSnippet',
      `blobActions: [SnippetBlobActionInputType!] description: String projectPath: ID title: String!
       visibilityLevel: VisibilityLevelsEnum!`,
      'snippet: Snippet',
    )}
    ${mutationTypes(
      'UpdateSnippet',
      `blobActions: [SnippetBlobActionInputType!] description: String id: SnippetID! title: String
       visibilityLevel: VisibilityLevelsEnum`,
      'snippet: Snippet',
    )}
    ${mutationTypes('DestroySnippet', 'id: SnippetID!', 'snippet: Snippet')}
  `,
  fields: {
    Mutation: {
      createSnippet: mutation(create),
      destroySnippet: mutation(destroy),
      updateSnippet: mutation(update),
    },
  },
};
