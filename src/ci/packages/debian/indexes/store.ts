import { type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../../access/roles.ts';
import type { Reader, Writer } from '../../../../platform/database/database.ts';
import { installable } from '../../rules.ts';
import type { DeletionScope } from '../../store.ts';
import { inDeletionScope, inNamespaceProjects } from '../../store.ts';
import type { DebianDistributionRow, DebianIndexesTable } from '../../tables.ts';
import type { FileKind } from '../names.ts';

/** Whether the package registry of a project `p` is disabled, or restricted to members. */
const registryIs = (word: 'disabled' | 'private') =>
  sql<SqlBool>`p.settings like ${sql.lit(`%"package_registry_access_level":"${word}"%`)}`;

/**
 * The distributions whose files a distribution lists: itself, or those with its codename in projects below the group.
 * Everyone who can read a group's distribution must be able to read the packages it names, so their projects must be as
 * visible as the group.
 */
export async function sourcesOf(
  db: Reader,
  { id, group_id, codename }: DebianDistributionRow,
  visibility: number,
): Promise<number[]> {
  if (group_id === null) return [id];
  const rows = await db
    .selectFrom('debian_distributions as s')
    .innerJoin('projects as p', 'p.id', 's.project_id')
    .select('s.id')
    .where('s.codename', '=', codename)
    .where(inNamespaceProjects(group_id, 's.project_id'))
    .where('p.visibility', '>=', visibility)
    .where(sql<SqlBool>`not ${registryIs('disabled')}`)
    .where(visibility === Visibility.private ? sql<SqlBool>`1 = 1` : sql<SqlBool>`not ${registryIs('private')}`)
    .orderBy('s.id')
    .execute();
  return rows.map((row) => row.id);
}

/** Entries of an index that an index of the table provides in order. */
export interface EntryRun {
  readonly distributionId: number;
  readonly component: string;
  readonly kind: FileKind;
  readonly architecture: string;
}

/** The entries of a run, in batches by file. */
export function entriesAfter(
  db: Reader,
  { distributionId, component, kind, architecture }: EntryRun,
  after: number,
  limit: number,
) {
  return db
    .selectFrom('debian_files as d')
    .innerJoin('package_files as f', 'f.id', 'd.file_id')
    .innerJoin('packages as k', 'k.id', 'f.package_id')
    .select(['d.file_id', 'd.file_name', 'd.paragraph', 'k.name', 'k.version', 'k.project_id'])
    .where('d.distribution_id', '=', distributionId)
    .where('d.component', '=', component)
    .where('d.kind', '=', kind)
    .where('d.architecture', '=', architecture)
    .where('k.status', 'in', [...installable])
    .where('d.file_id', '>', after)
    .orderBy('d.file_id')
    .limit(limit)
    .execute();
}

/** The visibility of the group of a distribution; private for those of projects. */
export async function visibilityOf(db: Reader, { group_id }: DebianDistributionRow): Promise<number> {
  if (group_id === null) return Visibility.private;
  const row = await db.selectFrom('namespaces').select('visibility').where('id', '=', group_id).executeTakeFirst();
  return row?.visibility ?? Visibility.public;
}

/** The current index files of a distribution. */
export function currentIndexes(db: Reader, distributionId: number) {
  return db
    .selectFrom('debian_indexes')
    .selectAll()
    .where('distribution_id', '=', distributionId)
    .where('superseded_at', 'is', null)
    .execute();
}

/** Finds an index file by path; the current one, or one with a digest in a folder. */
export function indexAt(db: Reader, distributionId: number, path: string) {
  return db
    .selectFrom('debian_indexes')
    .selectAll()
    .where('distribution_id', '=', distributionId)
    .where('path', '=', path)
    .where('superseded_at', 'is', null)
    .executeTakeFirst();
}

export function indexWithDigest(db: Reader, distributionId: number, paths: readonly string[], sha256: string) {
  return db
    .selectFrom('debian_indexes')
    .selectAll()
    .where('distribution_id', '=', distributionId)
    .where('path', 'in', [...paths])
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
}

export async function insertIndexes(trx: Writer, rows: readonly Omit<DebianIndexesTable, 'id'>[]): Promise<void> {
  if (rows.length > 0)
    await trx
      .insertInto('debian_indexes')
      .values([...rows])
      .execute();
}

/** Marks index files as replaced. They are still served by hash to clients that have read the former release. */
export async function supersede(trx: Writer, ids: readonly number[], superseded_at: number): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('debian_indexes')
    .set({ superseded_at })
    .where('id', 'in', [...ids])
    .execute();
}

type IndexScopeOfPlace =
  | { readonly distributionId: number; readonly supersededBefore?: number }
  | { readonly projectId: number }
  | { readonly groupId: number };

/** Deletes index files and schedules their contents for removal. */
export async function deleteIndexes(trx: Writer, which: IndexScopeOfPlace): Promise<void> {
  const condition = deletedIndexes(which);
  await trx
    .insertInto('deleted_package_files')
    .columns(['storage_key'])
    .expression(
      trx
        .selectFrom('debian_indexes')
        .select(sql<string>`storage_key`.as('storage_key'))
        .where('storage_key', 'is not', null)
        .where(condition),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.deleteFrom('debian_indexes').where(condition).execute();
}

function deletedIndexes(which: IndexScopeOfPlace) {
  if ('projectId' in which) {
    return sql<SqlBool>`distribution_id in (select id from debian_distributions where project_id = ${which.projectId})`;
  }
  if ('groupId' in which) {
    return sql<SqlBool>`distribution_id in (select id from debian_distributions where group_id = ${which.groupId})`;
  }
  const own = sql<SqlBool>`distribution_id = ${which.distributionId}`;
  return which.supersededBefore === undefined
    ? own
    : sql<SqlBool>`${own} and superseded_at < ${which.supersededBefore}`;
}

/** Counts a change of these distributions, and of those of groups above that list them. Returns their IDs. */
export async function bumpRevisions(trx: Writer, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await trx
    .selectFrom('debian_distributions as d')
    .select('d.id')
    .where(
      sql<SqlBool>`d.id in (${sql.join([...ids])}) or (d.codename, d.group_id) in (
        select s.codename, a.ancestor_id from debian_distributions s
        join projects p on p.id = s.project_id
        join namespace_ancestors a on a.namespace_id = p.namespace_id
        where s.id in (${sql.join([...ids])}))`,
    )
    .orderBy('d.id')
    .execute();
  const all = rows.map(({ id }) => id);
  // In order of their IDs, as in other transactions.
  for (const id of all) {
    await trx.updateTable('debian_distributions').set({ revision: sql`revision + 1` }).where('id', '=', id).execute();
  }
  return all;
}

/** The distributions that list some of these files. */
export async function distributionsListing(db: Reader, which: DeletionScope): Promise<number[]> {
  const rows = await db
    .selectFrom('debian_files')
    .innerJoin('package_files', 'package_files.id', 'debian_files.file_id')
    .select('debian_files.distribution_id')
    .distinct()
    .where(inDeletionScope(which))
    .execute();
  return rows.map(({ distribution_id }) => distribution_id);
}

/** The distributions of a project, or of the projects in a group. */
export async function distributionsWithin(db: Reader, place: { projectId: number } | { namespaceId: number }) {
  const rows = await db
    .selectFrom('debian_distributions')
    .select('id')
    .where(
      'projectId' in place ? sql<SqlBool>`project_id = ${place.projectId}` : inNamespaceProjects(place.namespaceId),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** The distributions of groups. */
export async function groupDistributions(db: Reader, ancestorsOf: number): Promise<number[]> {
  const rows = await db
    .selectFrom('debian_distributions')
    .select('id')
    .where(sql<SqlBool>`group_id in (select ancestor_id from namespace_ancestors where namespace_id = ${ancestorsOf})`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Distributions whose release expires before a time. */
export async function expiringBefore(db: Reader, time: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('debian_distributions')
    .select('id')
    .where('valid_until', 'is not', null)
    .where('valid_until', '<', time)
    .orderBy('valid_until')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
