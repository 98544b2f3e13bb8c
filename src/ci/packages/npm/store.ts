import type { Reader, Writer } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import type { NpmVersionsTable, PackageRow } from '../tables.ts';
import type { StoredVersion } from './document.ts';

/** A package name and the projects to search. */
export interface NamedIn {
  readonly projects: readonly number[];
  readonly name: string;
}

/** Versions of a package, latest first, in batches before an ID. */
export function versionsBefore(
  db: Reader,
  { projects, name }: NamedIn,
  before: number,
  limit: number,
): Promise<(StoredVersion & { id: number })[]> {
  return db
    .selectFrom('packages as p')
    .innerJoin('npm_versions as v', 'v.package_id', 'p.id')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .select(['p.id', 'p.project_id', 'p.version', 'p.created_at', 'v.manifest', 'v.integrity', 'v.deprecated'])
    .select(['f.sha1', 'f.file_name'])
    .where('p.project_id', 'in', [...projects])
    .where('p.package_type', '=', 'npm')
    .where('p.name', '=', name)
    .where('p.status', 'in', [...installable])
    .where('p.id', '<', before)
    .orderBy('p.id', 'desc')
    .limit(limit)
    .execute();
}

/** Tags of a package with their versions, the latest version last. */
export async function tagsOf(db: Reader, { projects, name }: NamedIn): Promise<[tag: string, version: string][]> {
  const rows = await db
    .selectFrom('npm_tags as t')
    .innerJoin('packages as p', 'p.id', 't.package_id')
    .select(['t.name', 'p.version'])
    .where('t.project_id', 'in', [...projects])
    .where('t.package_name', '=', name)
    .where('p.status', 'in', [...installable])
    .orderBy('p.id')
    .execute();
  return rows.flatMap((row) => (row.version === null ? [] : [[row.name, row.version]]));
}

export async function insertVersion(trx: Writer, row: NpmVersionsTable): Promise<void> {
  await trx.insertInto('npm_versions').values(row).execute();
}

/** Points a tag to a version, replacing the previous one. */
export async function setTag(trx: Writer, { id, project_id, name: package_name }: PackageRow, name: string) {
  const now = Date.now();
  await trx
    .insertInto('npm_tags')
    .values({ project_id, package_name, name, package_id: id, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'package_name', 'name']).doUpdateSet({ package_id: id, updated_at: now }),
    )
    .execute();
}

/** Deletes a tag. Returns whether it existed. */
export async function deleteTag(trx: Writer, projectId: number, packageName: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('npm_tags')
    .where('project_id', '=', projectId)
    .where('package_name', '=', packageName)
    .where('name', '=', name)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

export async function setDeprecated(
  trx: Writer,
  { project_id, name }: Pick<PackageRow, 'project_id' | 'name'>,
  versions: readonly string[],
  deprecated: string | null,
): Promise<void> {
  const packages = trx
    .selectFrom('packages')
    .select('id')
    .where('project_id', '=', project_id)
    .where('package_type', '=', 'npm')
    .where('name', '=', name)
    .where('version', 'in', [...versions]);
  await trx.updateTable('npm_versions').set({ deprecated }).where('package_id', 'in', packages).execute();
}

/** Tags that point to each of these packages. */
export function tagsOfPackages(db: Reader, packageIds: readonly number[]) {
  if (packageIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('npm_tags')
    .select(['id', 'package_id', 'name', 'created_at', 'updated_at'])
    .where('package_id', 'in', [...packageIds])
    .orderBy('id')
    .execute();
}
