import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { SecureFileRow, SecureFilesTable } from './tables.ts';

const columns = ['id', 'project_id', 'name', 'checksum', 'created_at'] as const;

export function listFiles(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('secure_files').select(columns).where('project_id', '=', projectId).orderBy('id', 'desc');
  return fetchPage(db, query, slice);
}

export function fileOfProject(db: Reader, projectId: number, id: number): Promise<SecureFileRow | undefined> {
  return db
    .selectFrom('secure_files')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function contentOf(db: Reader, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('secure_files').select('content').where('id', '=', id).executeTakeFirst();
  return row?.content;
}

export async function countFiles(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('secure_files')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertFile(trx: Writer, row: Insertable<SecureFilesTable>): Promise<SecureFileRow> {
  return trx.insertInto('secure_files').values(row).returning(columns).executeTakeFirstOrThrow();
}

export async function deleteFile(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('secure_files').where('id', '=', id).execute();
}
