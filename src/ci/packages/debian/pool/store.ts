import type { Reader } from '../../../../platform/database/database.ts';
import { installable } from '../../rules.ts';
import { inNamespaceProjects } from '../../store.ts';
import type { PackageFileRow, PackageRow } from '../../tables.ts';

/** A file of a source package in a distribution. */
export function fileOf(
  db: Reader,
  distributionId: number,
  packageName: string,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'>) | undefined> {
  return db
    .selectFrom('debian_files as d')
    .innerJoin('package_files as f', 'f.id', 'd.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .selectAll('f')
    .select('p.last_downloaded_at')
    .where('d.distribution_id', '=', distributionId)
    .where('d.file_name', '=', fileName)
    .where('p.name', '=', packageName)
    .where('p.status', 'in', [...installable])
    .executeTakeFirst();
}

/** Whether a project is in a namespace or one of its descendants. */
export async function isInNamespace(db: Reader, projectId: number, namespaceId: number): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', projectId)
    .where(inNamespaceProjects(namespaceId, 'id'))
    .executeTakeFirst();
  return found !== undefined;
}
