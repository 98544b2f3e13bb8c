import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf } from '../api-paths.ts';
import { connectionTypes, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { type GlobalId, globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { projectById } from '../projects/projects.ts';
import { renderedField } from '../rendered-fields.ts';

const pathOf = ({ id, project_id }: Entity) =>
  project_id == null ? `/snippets/${id}` : `/projects/${project_id}/snippets/${id}`;

async function snippetsNamed(context: ResolverContext, ids: readonly GlobalId[]): Promise<Entity[]> {
  const places = await Promise.all(ids.slice(0, 100).map((id) => apiPathOf(context.services.db.read, id)));
  const found = await Promise.all(places.map((place) => (place ? context.read(place.path) : null)));
  return found.filter((snippet) => snippet !== null);
}

function blobsOf(snippet: Entity, paths: readonly string[] | null | undefined): Entity[] {
  const files = (snippet.files ?? []).map((file: Entity) => ({ ...file, snippet }));
  return paths ? files.filter(({ path }: Entity) => paths.includes(path)) : files;
}

/** The text of a file; null for a binary file. */
async function contentOf({ path, snippet }: Entity, context: ResolverContext): Promise<string | null> {
  const answer = await context.answer(`${pathOf(snippet)}/files/HEAD/${encodeURIComponent(path)}/raw`);
  if (answer.status !== 200 || answer.bytes.includes(0)) return null;
  return answer.bytes.toString();
}

export const snippets: Part = {
  types: `
    extend type Query { snippets(ids: [SnippetID!], ${pageArguments}): SnippetConnection }
    extend type Project { snippets(ids: [SnippetID!], ${pageArguments}): SnippetConnection }
    extend type CurrentUser { snippets(${pageArguments}): SnippetConnection }
    enum VisibilityLevelsEnum { internal private public }
    type Snippet {
      author: UserCore
      blobs(paths: [String!], ${pageArguments}): SnippetBlobConnection
      createdAt: Time!
      description: String
      descriptionHtml: String
      fileName: String
      httpUrlToRepo: String
      id: SnippetID!
      project: Project
      rawUrl: String!
      sshUrlToRepo: String
      title: String!
      updatedAt: Time!
      visibilityLevel: VisibilityLevelsEnum!
      webUrl: String!
    }
    "A file of a snippet."
    type SnippetBlob { name: String path: String rawPath: String! rawPlainData: String }
    ${connectionTypes('SnippetBlob')}
    ${connectionTypes('Snippet')}
  `,
  fields: {
    Query: {
      snippets: async (_source, { ids, ...page }, context) => {
        if (ids) return listOf(await snippetsNamed(context, ids), page);
        return restConnection(context, '/snippets/all', page);
      },
    },
    Project: {
      snippets: async ({ id }, { ids, ...page }, context) => {
        if (!ids) return restConnection(context, `/projects/${id}/snippets`, page);
        const found = await snippetsNamed(context, ids);
        return listOf(
          found.filter((snippet) => snippet.project_id === id),
          page,
        );
      },
    },
    CurrentUser: { snippets: (_user, page, context) => restConnection(context, '/snippets', page) },
    Snippet: {
      id: ({ id, project_id }) => globalId(project_id == null ? 'PersonalSnippet' : 'ProjectSnippet', id),
      blobs: (snippet, { paths, ...page }) => listOf(blobsOf(snippet, paths), page),
      descriptionHtml: renderedField('description'),
      project: ({ project_id }, _args, context) => (project_id == null ? null : projectById(context, project_id)),
      visibilityLevel: ({ visibility }) => visibility,
    },
    SnippetBlob: {
      name: ({ path }) => path.split('/').at(-1),
      rawPath: ({ raw_url }) => new URL(raw_url).pathname,
      rawPlainData: (blob, _args, context) => contentOf(blob, context),
    },
  },
};
