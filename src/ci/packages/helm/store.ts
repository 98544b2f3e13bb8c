import type { Reader, Writer } from '../../../platform/database/database.ts';
import { installable } from '../rules.ts';
import type { HelmFilesTable, PackageFileRow, PackageRow } from '../tables.ts';

/** A channel of charts in a project. */
export interface Channel {
  readonly projectId: number;
  readonly channel: string;
}

export async function insertFile(trx: Writer, row: HelmFilesTable): Promise<void> {
  await trx.insertInto('helm_files').values(row).execute();
}

/** The most recently published charts of a channel, each with its latest file. */
export async function newestCharts(db: Reader, { projectId, channel }: Channel, limit: number) {
  const rows = await db
    .selectFrom('helm_files as h')
    .innerJoin('package_files as f', 'f.id', 'h.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .select(({ fn }) => ['p.name', fn.max('h.file_id').as('file_id')])
    .where('h.project_id', '=', projectId)
    .where('h.channel', '=', channel)
    .where('p.status', 'in', [...installable])
    .groupBy(['h.file_name', 'p.name'])
    .orderBy('file_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ name, file_id }) => ({ name, file_id: Number(file_id) }));
}

/** Index metadata of the given files. */
export function chartsOf(db: Reader, fileIds: readonly number[]) {
  return db
    .selectFrom('helm_files as h')
    .innerJoin('package_files as f', 'f.id', 'h.file_id')
    .select(['h.file_id', 'h.file_name', 'h.metadata', 'f.sha256', 'f.created_at'])
    .where('h.file_id', 'in', [...fileIds])
    .execute();
}

/** The latest file with a name in a channel. */
export function fileOf(
  db: Reader,
  { projectId, channel }: Channel,
  fileName: string,
): Promise<(PackageFileRow & Pick<PackageRow, 'last_downloaded_at'>) | undefined> {
  return db
    .selectFrom('helm_files as h')
    .innerJoin('package_files as f', 'f.id', 'h.file_id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .selectAll('f')
    .select('p.last_downloaded_at')
    .where('h.project_id', '=', projectId)
    .where('h.channel', '=', channel)
    .where('h.file_name', '=', fileName)
    .where('p.status', 'in', [...installable])
    .orderBy('h.file_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
