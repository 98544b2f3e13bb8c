import Type from 'typebox';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { encodePath } from '../../code/repository/public.ts';
import { httpCloneUrl, sshPrefix } from '../../namespaces/projects/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant } from '../../platform/http/schema.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { snippetBranch } from './content.ts';
import type { SnippetEntity } from './schema.ts';
import { projectPaths } from './store.ts';
import type { SnippetRow } from './tables.ts';

/** Decodes the file paths stored in the row. */
export const storedFiles = storedJson(Type.Array(Type.String()));

/** Presents a page of snippets in a fixed number of queries. */
export async function presentSnippets(
  services: Services,
  caller: Actor,
  rows: readonly SnippetRow[],
): Promise<SnippetEntity[]> {
  const { db, externalUrl } = services;
  const [users, paths] = await Promise.all([
    basicUsers(
      db.read,
      rows.map(({ author_id }) => author_id),
      externalUrl,
    ),
    projectPaths(db.read, [...new Set(rows.flatMap(({ project_id }) => project_id ?? []))]),
  ]);
  return rows.map((row) => {
    const author = users.get(row.author_id);
    if (!author) throw new Error(`the author of snippet ${row.id} is missing`);
    const prefix = row.project_id === null ? '' : `${paths.get(row.project_id)}/`;
    const web_url = `${externalUrl}/${prefix}-/snippets/${row.id}`;
    const files = storedFiles(row.files);
    const repository = `${prefix}snippets/${row.id}.git`;
    return {
      id: row.id,
      title: row.title,
      description: row.description,
      visibility: visibilityName(row.visibility),
      author,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      project_id: row.project_id,
      web_url,
      raw_url: `${web_url}/raw`,
      ssh_url_to_repo: `${sshPrefix(services)}${repository}`,
      http_url_to_repo: httpCloneUrl(services, repository),
      file_name: files[0] ?? null,
      files: files.map((path) => ({ path, raw_url: `${web_url}/raw/${snippetBranch}/${encodePath(path)}` })),
      imported: row.imported_from !== 'none',
      imported_from: row.imported_from,
      ...(isAdmin(caller) ? { repository_storage: 'default' } : {}),
    };
  });
}
