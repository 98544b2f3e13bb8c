import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import { type ImportSourceUserRow, unassignedStatuses } from '../content/public.ts';

/** Unassigned source users of a group, oldest first. */
export function unassigned(db: Reader, namespaceId: number, limit: number): Promise<ImportSourceUserRow[]> {
  return db
    .selectFrom('import_source_users')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('status', 'in', unassignedStatuses)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** All source users of a group, grouped by host. */
export function ofGroup(
  db: Reader,
  namespaceId: number,
  slice: Slice,
): Promise<{ rows: ImportSourceUserRow[]; total: number }> {
  const query = db
    .selectFrom('import_source_users')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .orderBy('import_type')
    .orderBy('source_hostname')
    .orderBy('source_user_id');
  return fetchPage(db, query, slice);
}

export function sourceUserOf(db: Reader, namespaceId: number, id: number): Promise<ImportSourceUserRow | undefined> {
  return db
    .selectFrom('import_source_users')
    .selectAll()
    .where('id', '=', id)
    .where('namespace_id', '=', namespaceId)
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

/** An unanswered request to a user, locked until the transaction ends. */
export async function lockPendingRequest(
  trx: Writer,
  id: number,
  userId: number,
): Promise<ImportSourceUserRow | undefined> {
  const row = await lockRow(trx, 'import_source_users', id);
  return row?.reassign_to_id === userId && row.status === 'awaiting_approval' ? row : undefined;
}

export function lockSourceUser(trx: Writer, id: number): Promise<ImportSourceUserRow | undefined> {
  return lockRow(trx, 'import_source_users', id);
}

/** Whether an import of this type is running and may still use its placeholders. */
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
