import { sql } from 'kysely';
import type { Reader, Writer } from '../../../../platform/database/database.ts';
import type { DebianFilesTable, PackageFileRow } from '../../tables.ts';
import { incomingPackage } from '../names.ts';

const { package_type, name } = incomingPackage;

function incoming(db: Reader) {
  return db
    .selectFrom('package_files as f')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .where('p.package_type', '=', package_type)
    .where('p.name', '=', name)
    .where('p.version', 'is', null);
}

/** A file that has not been assigned to a package yet, with its project. */
export function incomingFile(db: Reader, id: number) {
  return incoming(db).selectAll('f').select('p.project_id').where('f.id', '=', id).executeTakeFirst();
}

/** The latest incoming file of a project with each of these names. */
export async function incomingNamed(
  db: Reader,
  packageId: number,
  names: readonly string[],
): Promise<Map<string, PackageFileRow>> {
  const rows = await db
    .selectFrom('package_files')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('file_name', 'in', [...names])
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.file_name, row]));
}

/** Files of a distribution with these names, with the source package they belong to. */
export function publishedNamed(db: Reader, distributionId: number, names: readonly string[]) {
  if (names.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('debian_files as d')
    .innerJoin('package_files as f', 'f.id', 'd.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .select(['d.file_name', 'f.size', 'f.md5', 'f.sha1', 'f.sha256', 'p.name', 'p.version'])
    .where('d.distribution_id', '=', distributionId)
    .where('d.file_name', 'in', [...names])
    .execute();
}

/** Returns whether the file was still in the first package. */
export async function moveFile(trx: Writer, id: number, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('package_files')
    .set({ package_id: to })
    .where('id', '=', id)
    .where('package_id', '=', from)
    .executeTakeFirst();
  await trx.updateTable('package_builds').set({ package_id: to }).where('file_id', '=', id).execute();
  return numUpdatedRows === 1n;
}

export async function insertPublished(trx: Writer, rows: readonly DebianFilesTable[]): Promise<void> {
  if (rows.length > 0)
    await trx
      .insertInto('debian_files')
      .values([...rows])
      .execute();
}

export async function hasFiles(db: Reader, packageId: number): Promise<boolean> {
  const found = await db
    .selectFrom('package_files')
    .select('id')
    .where('package_id', '=', packageId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Packages of incoming files, in batches by ID. */
export function incomingPackages(db: Reader, after: number, limit: number) {
  return db
    .selectFrom('packages')
    .select(['id', 'project_id'])
    .where('package_type', '=', package_type)
    .where('name', '=', name)
    .where('version', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Query for the files of a package that were uploaded before a time. */
export const filesBefore = (packageId: number, before: number) =>
  sql`select f.id from package_files f where f.package_id = ${packageId} and f.created_at < ${before}`;
