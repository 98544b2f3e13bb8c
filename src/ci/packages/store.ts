import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { NewPackageFileRow, NewPackageRow, PackageFileRow, PackageRow } from './tables.ts';

export function packageOfProject(db: Reader, projectId: number, id: number): Promise<PackageRow | undefined> {
  return db
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

type Named = Pick<PackageRow, 'project_id' | 'package_type' | 'name' | 'version'>;

export function packageNamed(
  db: Reader,
  { project_id, package_type, name, version }: Named,
): Promise<PackageRow | undefined> {
  const named = db
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('package_type', '=', package_type)
    .where('name', '=', name);
  const versioned = version === null ? named.where('version', 'is', null) : named.where('version', '=', version);
  return versioned.executeTakeFirst();
}

/** Returns the package with a name and version, creating it if necessary. Concurrent publications create it once. */
export async function ensurePackage(
  trx: Writer,
  row: NewPackageRow & Named,
): Promise<{ found: PackageRow; created: boolean }> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('packages')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const found = await packageNamed(trx, row);
  if (!found) throw new Error(`the package ${row.name} was not created`);
  return { found, created: Number(numInsertedOrUpdatedRows) === 1 };
}

export async function updatePackage(trx: Writer, id: number, change: Partial<PackageRow>): Promise<void> {
  await trx.updateTable('packages').set(change).where('id', '=', id).execute();
}

/** All visible versions of a package. */
export function versionsOf(db: Reader, { project_id, package_type, name }: PackageRow, limit: number) {
  return db
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('package_type', '=', package_type)
    .where('name', '=', name)
    .where('version', 'is not', null)
    .where('status', 'in', ['default', 'error'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Condition for rows with a project ID: the project is in a namespace or one of its descendants. */
export const inNamespaceProjects = (namespaceId: number, column = 'project_id') => sql<SqlBool>`${sql.ref(column)} in (
  select p.id from projects p where p.namespace_id in
    (select namespace_id from namespace_ancestors where ancestor_id = ${namespaceId}))`;

/** Projects in a namespace that have a package with this name. */
export async function projectsWith(
  db: Reader,
  { package_type, name }: Pick<PackageRow, 'package_type' | 'name'>,
  namespaceId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('packages')
    .select('project_id')
    .distinct()
    .where('package_type', '=', package_type)
    .where('name', '=', name)
    .where(inNamespaceProjects(namespaceId))
    .orderBy('project_id')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

export function insertFile(trx: Writer, row: NewPackageFileRow): Promise<PackageFileRow> {
  return trx.insertInto('package_files').values(row).returningAll().executeTakeFirstOrThrow();
}

export const fileOrders = ['id', 'created_at', 'file_name'] as const;

export function listFiles(
  db: Reader,
  packageId: number,
  { by, direction }: { by: (typeof fileOrders)[number]; direction: 'asc' | 'desc' },
  slice: Slice,
) {
  const query = db.selectFrom('package_files').selectAll().where('package_id', '=', packageId);
  const ordered = by === 'file_name' ? query.orderBy('file_name', direction) : query;
  return fetchPage(db, ordered.orderBy('id', direction), slice);
}

export function fileOfPackage(db: Reader, packageId: number, id: number): Promise<PackageFileRow | undefined> {
  return db
    .selectFrom('package_files')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The latest file with a name. */
export function fileNamed(db: Reader, packageId: number, name: string): Promise<PackageFileRow | undefined> {
  return db
    .selectFrom('package_files')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('file_name', '=', name)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Selects the files to delete. */
export type DeletionScope =
  | { readonly fileId: number }
  /** Files whose IDs a query returns. */
  | { readonly fileIds: RawBuilder<unknown> }
  /** With names, only the files of a package that have one of these. */
  | { readonly packageId: number; readonly names?: readonly string[] }
  | { readonly projectId: number };

/** Condition for the files to delete. */
export function inDeletionScope(which: DeletionScope) {
  if ('fileId' in which) return sql<SqlBool>`package_files.id = ${which.fileId}`;
  if ('fileIds' in which) return sql<SqlBool>`package_files.id in (${which.fileIds})`;
  if ('packageId' in which) {
    const ofPackage = sql<SqlBool>`package_files.package_id = ${which.packageId}`;
    if (which.names === undefined) return ofPackage;
    return sql<SqlBool>`${ofPackage} and package_files.file_name in (${sql.join([...which.names])})`;
  }
  return sql<SqlBool>`package_files.package_id in (select p.id from packages p where p.project_id = ${which.projectId})`;
}

/** Deletes file rows and schedules the files for removal. Returns their total size in bytes. */
export async function deleteFiles(trx: Writer, which: DeletionScope): Promise<number> {
  const condition = inDeletionScope(which);
  const { size } = await trx
    .selectFrom('package_files')
    .select(sql<number>`coalesce(sum(size), 0)`.as('size'))
    .where(condition)
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('deleted_package_files')
    .columns(['storage_key'])
    .expression(trx.selectFrom('package_files').select('storage_key').where(condition))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.deleteFrom('package_files').where(condition).execute();
  return Number(size);
}

export async function deletePackage(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('packages').where('id', '=', id).execute();
}

/** Registers a file before it is written: it is removed when due, unless its row is committed. */
export async function expectFile(trx: Writer, storage_key: string, due_at: number): Promise<void> {
  await trx.insertInto('deleted_package_files').values({ storage_key, due_at }).execute();
}

export async function filesToDelete(db: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('deleted_package_files')
    .select('storage_key')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
  return rows.map(({ storage_key }) => storage_key);
}

/** Returns the number of deleted entries. */
export async function forgetFiles(trx: Writer, keys: readonly string[]): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('deleted_package_files')
    .where('storage_key', 'in', [...keys])
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function insertBuild(trx: Writer, file: PackageFileRow, pipelineId: number): Promise<void> {
  await trx
    .insertInto('package_builds')
    .values({ file_id: file.id, package_id: file.package_id, pipeline_id: pipelineId })
    .execute();
}

/** The latest pipeline that published files of each of these packages. */
export async function buildsOf(db: Reader, packageIds: readonly number[]) {
  if (packageIds.length === 0) return [];
  return db
    .selectFrom('package_builds')
    .select(['package_id', sql<number>`max(pipeline_id)`.as('pipeline_id')])
    .where('package_id', 'in', [...packageIds])
    .groupBy('package_id')
    .execute();
}

export function buildsOfFiles(db: Reader, fileIds: readonly number[]) {
  if (fileIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('package_builds')
    .select(['file_id', 'pipeline_id'])
    .where('file_id', 'in', [...fileIds])
    .execute();
}

/** All pipelines that published files of a package, latest first. */
export function listBuilds(db: Reader, packageId: number, slice: Slice) {
  const query = db
    .selectFrom('package_builds')
    .select('pipeline_id')
    .distinct()
    .where('package_id', '=', packageId)
    .orderBy('pipeline_id', 'desc');
  return fetchPage(db, query, slice);
}
