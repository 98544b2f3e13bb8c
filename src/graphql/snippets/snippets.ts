import type { Entity } from '../../platform/http/in-process.ts';
import type { Asking } from '../engine/asking.ts';
import { connectionTypes, listed, listOf, pageArguments } from '../engine/connection.ts';
import { type GlobalId, globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { projectById } from '../projects/projects.ts';
import { drawn } from '../texts.ts';
import { placeOf } from '../where.ts';

const pathOf = ({ id, project_id }: Entity) =>
  project_id == null ? `/snippets/${id}` : `/projects/${project_id}/snippets/${id}`;

async function snippetsNamed(asking: Asking, ids: readonly GlobalId[]): Promise<Entity[]> {
  const places = await Promise.all(ids.slice(0, 100).map((id) => placeOf(asking.services.db.read, id)));
  const found = await Promise.all(places.map((place) => (place ? asking.read(place.path) : null)));
  return found.filter((snippet) => snippet !== null);
}

function blobsOf(snippet: Entity, paths: readonly string[] | null | undefined): Entity[] {
  const files = (snippet.files ?? []).map((file: Entity) => ({ ...file, snippet }));
  return paths ? files.filter(({ path }: Entity) => paths.includes(path)) : files;
}

/** The text of a file; null where it is none. */
async function contentOf({ path, snippet }: Entity, asking: Asking): Promise<string | null> {
  const answer = await asking.answer(`${pathOf(snippet)}/files/HEAD/${encodeURIComponent(path)}/raw`);
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
      snippets: async (_source, { ids, ...page }, asking) => {
        if (ids) return listOf(await snippetsNamed(asking, ids), page);
        return listed(asking, '/snippets/all', page);
      },
    },
    Project: {
      snippets: async ({ id }, { ids, ...page }, asking) => {
        if (!ids) return listed(asking, `/projects/${id}/snippets`, page);
        const found = await snippetsNamed(asking, ids);
        return listOf(
          found.filter((snippet) => snippet.project_id === id),
          page,
        );
      },
    },
    CurrentUser: { snippets: (_user, page, asking) => listed(asking, '/snippets', page) },
    Snippet: {
      id: ({ id, project_id }) => globalId(project_id == null ? 'PersonalSnippet' : 'ProjectSnippet', id),
      blobs: (snippet, { paths, ...page }) => listOf(blobsOf(snippet, paths), page),
      descriptionHtml: drawn('description'),
      project: ({ project_id }, _given, asking) => (project_id == null ? null : projectById(asking, project_id)),
      visibilityLevel: ({ visibility }) => visibility,
    },
    SnippetBlob: {
      name: ({ path }) => path.split('/').at(-1),
      rawPath: ({ raw_url }) => new URL(raw_url).pathname,
      rawPlainData: (blob, _given, asking) => contentOf(blob, asking),
    },
  },
};
