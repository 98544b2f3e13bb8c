import type { Reader, Writer } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import type { PackageFileRow, PackageRow, RubygemsFilesTable } from '../tables.ts';

export async function insertGem(trx: Writer, row: RubygemsFilesTable): Promise<void> {
  await trx.insertInto('rubygems_files').values(row).execute();
}

const gems = (db: Reader, projectId: number) =>
  db
    .selectFrom('rubygems_files as g')
    .innerJoin('package_files as f', 'f.id', 'g.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .where('g.project_id', '=', projectId)
    .where('p.status', 'in', [...installable]);

/** The most recently published gems of a project, either releases or pre-releases. */
export function listedGems(
  db: Reader,
  projectId: number,
  { prerelease, limit }: { prerelease: boolean; limit: number },
) {
  return gems(db, projectId)
    .select(['g.name', 'g.version', 'g.platform'])
    .where('g.is_prerelease', '=', prerelease ? 1 : 0)
    .orderBy('g.file_id', 'desc')
    .limit(limit)
    .execute();
}

/** Metadata of gems with these names in order of publication, in batches by file ID. */
export function gemsAfter(db: Reader, projectId: number, names: readonly string[], after: number, limit: number) {
  return gems(db, projectId)
    .select(['g.file_id', 'g.metadata'])
    .where('g.name', 'in', [...names])
    .where('g.file_id', '>', after)
    .orderBy('g.file_id')
    .limit(limit)
    .execute();
}

/** Finds a gem by file name, with its metadata. */
export function gemNamed(
  db: Reader,
  projectId: number,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'> & { metadata: string }) | undefined> {
  return gems(db, projectId)
    .selectAll('f')
    .select(['p.last_downloaded_at', 'g.metadata'])
    .where('g.file_name', '=', fileName)
    .executeTakeFirst();
}
