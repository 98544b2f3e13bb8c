import type { Reader } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import type { PackageFileRow, PackageRow } from '../tables.ts';

/** A version of a module and its project. */
export interface ModuleVersion {
  readonly id: number;
  readonly project_id: number;
  readonly version: string;
}

/** The most recently published versions of a module in these projects. */
export async function versionsIn(
  db: Reader,
  projects: readonly number[],
  name: string,
  limit: number,
): Promise<ModuleVersion[]> {
  if (projects.length === 0) return [];
  const rows = await db
    .selectFrom('packages')
    .select(['id', 'project_id', 'version'])
    .where('project_id', 'in', [...projects])
    .where('package_type', '=', 'terraform_module')
    .where('name', '=', name)
    .where('status', 'in', [...installable])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ version, ...row }) => (version === null ? [] : [{ ...row, version }]));
}

/** Finds the file of a version by package ID. */
export function fileOf(
  db: Reader,
  packageId: number,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'>) | undefined> {
  return db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .selectAll('f')
    .select('p.last_downloaded_at')
    .where('p.id', '=', packageId)
    .where('p.package_type', '=', 'terraform_module')
    .where('p.status', 'in', [...installable])
    .where('f.file_name', '=', fileName)
    .orderBy('f.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
