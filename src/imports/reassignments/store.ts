import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import type { ImportSourceUserRow, ReassignmentStatus } from '../content/public.ts';

const open: readonly ReassignmentStatus[] = ['pending_reassignment', 'rejected'];

/** Those of a group whom nobody stands for yet, in the order in which they came. */
export function unassigned(db: Reader, namespaceId: number, limit: number): Promise<ImportSourceUserRow[]> {
  return db
    .selectFrom('import_source_users')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('status', 'in', open)
    .orderBy('id')
    .limit(limit)
    .execute();
}

type Key = Pick<ImportSourceUserRow, 'namespace_id' | 'import_type' | 'source_hostname' | 'source_user_id'>;

/** Asks somebody to stand for them; undefined when nobody of that name is waiting for it. */
export function askFor(trx: Writer, key: Key, userId: number): Promise<ImportSourceUserRow | undefined> {
  return trx
    .updateTable('import_source_users')
    .set({ status: 'awaiting_approval', reassign_to_id: userId })
    .where('namespace_id', '=', key.namespace_id)
    .where('import_type', '=', key.import_type)
    .where('source_hostname', '=', key.source_hostname)
    .where('source_user_id', '=', key.source_user_id)
    .where('status', 'in', open)
    .returningAll()
    .executeTakeFirst();
}

export function awaiting(
  db: Reader,
  userId: number,
  slice: Slice,
): Promise<{ rows: ImportSourceUserRow[]; total: number }> {
  const query = db
    .selectFrom('import_source_users')
    .selectAll()
    .where('reassign_to_id', '=', userId)
    .where('status', '=', 'awaiting_approval')
    .orderBy('id');
  return fetchPage(db, query, slice);
}

/** What somebody was asked and has not answered; nobody else changes it until the transaction ends. */
export async function lockAsked(trx: Writer, id: number, userId: number): Promise<ImportSourceUserRow | undefined> {
  const row = await lockRow(trx, 'import_source_users', id);
  return row?.reassign_to_id === userId && row.status === 'awaiting_approval' ? row : undefined;
}

export function lockSourceUser(trx: Writer, id: number): Promise<ImportSourceUserRow | undefined> {
  return lockRow(trx, 'import_source_users', id);
}

export async function updateSourceUser(
  trx: Writer,
  id: number,
  columns: Partial<Pick<ImportSourceUserRow, 'status' | 'reassign_to_id' | 'user_id'>>,
): Promise<void> {
  await trx.updateTable('import_source_users').set(columns).where('id', '=', id).execute();
}

/** Whether an import of a kind is under way that may still name its placeholders. */
export async function importsRun(db: Reader, type: string): Promise<boolean> {
  const row = await db
    .selectFrom('project_imports')
    .select('project_id')
    .where('import_type', '=', type)
    .where('encrypted_data', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
