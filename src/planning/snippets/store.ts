import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { SnippetRow, SnippetsTable } from './tables.ts';

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('snippets').selectAll().where('id', '=', param('id')),
);

export function findSnippet(db: Reader, id: number): Promise<SnippetRow | undefined> {
  return byId.first(db, { id });
}

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('snippets').selectAll().where('id', 'in', param.ids('ids')),
);

export async function snippetsById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, SnippetRow>> {
  const rows = ids.length === 0 ? [] : await byIds.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}

export function insertSnippet(trx: Writer, row: Insertable<SnippetsTable>): Promise<SnippetRow> {
  return trx.insertInto('snippets').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateSnippet(trx: Writer, id: number, change: Updateable<SnippetsTable>): Promise<SnippetRow> {
  return trx.updateTable('snippets').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Stores the size of a snippet's repository, if the snippet still exists. */
export async function setSize(trx: Writer, id: number, repository_size: number): Promise<void> {
  await trx.updateTable('snippets').set({ repository_size }).where('id', '=', id).execute();
}

export async function deleteSnippets(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('snippets').where('id', 'in', ids).execute();
}

const paths = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.path', 'namespaces.full_path'])
    .where('projects.id', 'in', param.ids('ids')),
);

/** Full paths of the projects of snippets, by ID. */
export async function projectPaths(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = ids.length === 0 ? [] : await paths.all(db, { ids });
  return new Map(rows.map(({ id, path, full_path }) => [id, `${full_path}/${path}`]));
}

/** Filters repository keys to those used by a snippet. */
export async function repositoriesInUse(db: Reader, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('snippets').select('repository').where('repository', 'in', keys).execute();
  return new Set(rows.map(({ repository }) => repository));
}

/** Returns a batch of a project's snippets. */
export function snippetsIn(trx: Writer, project: number, after: number, limit: number): Promise<SnippetRow[]> {
  return trx
    .selectFrom('snippets')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns a batch of snippets created by a user, optionally only personal ones. */
export function snippetsBy(trx: Writer, author: number, personal: boolean, limit: number): Promise<SnippetRow[]> {
  const query = trx.selectFrom('snippets').selectAll().where('author_id', '=', author).orderBy('id').limit(limit);
  return (personal ? query.where('project_id', 'is', null) : query).execute();
}

export async function handOverSnippets(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('snippets').set({ author_id: to }).where('author_id', '=', from).execute();
}
