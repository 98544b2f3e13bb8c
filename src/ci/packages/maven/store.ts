import type { Reader } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import type { PackageFileRow, PackageRow } from '../tables.ts';
import type { DigestName, MavenPath } from './names.ts';

/** The latest file with a name in any of these projects. */
export function newestFile(
  db: Reader,
  projects: readonly number[],
  { name, version, file }: MavenPath,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'>) | undefined> {
  const named = db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .selectAll('f')
    .select('p.last_downloaded_at')
    .where('p.project_id', 'in', [...projects])
    .where('p.package_type', '=', 'maven')
    .where('p.name', '=', name)
    .where('p.status', 'in', [...installable])
    .where('f.file_name', '=', file);
  const versioned = version === null ? named.where('p.version', 'is', null) : named.where('p.version', '=', version);
  return versioned.orderBy('f.id', 'desc').limit(1).executeTakeFirst();
}

/** Whether any file with this name, including earlier ones, has this digest. */
export async function hasDigest(
  db: Reader,
  { package_id, file_name }: Pick<PackageFileRow, 'package_id' | 'file_name'>,
  digest: DigestName,
  value: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('package_files')
    .select('id')
    .where('package_id', '=', package_id)
    .where('file_name', '=', file_name)
    .where(digest, '=', value)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
