import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { instant } from '../../platform/http/schema.ts';
import { FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import type { GroupExportStatusEntity } from './schema.ts';
import * as store from './store.ts';
import type { GroupExportRow } from './tables.ts';

/** Requests an export. A queued export is reused. */
export async function startExport({ db, queue }: Services, { group }: GroupSubject): Promise<{ message: string }> {
  await db.write(async (trx) => {
    const existing = await store.findExport(trx, group.id);
    if (existing?.status === 'queued') return;
    await store.requestExport(trx, {
      namespace_id: group.id,
      status: 'queued',
      storage_key: null,
      size: null,
      filename: null,
      error: null,
      asked_at: Date.now(),
      finished_at: null,
    });
    await queue.enqueue(trx, 'group-exports.make', { groupId: group.id }, { dedupeKey: `${group.id}` });
  });
  return { message: '202 Accepted' };
}

/** As for projects: the previous export can be downloaded while a new one is being created. */
function statusOf(row: GroupExportRow | undefined): string {
  if (!row) return 'none';
  const hasFile = row.storage_key !== null;
  if (row.status === 'queued' || row.status === 'started') return hasFile ? 'regeneration_in_progress' : row.status;
  return row.status === 'finished' && !hasFile ? 'none' : row.status;
}

export async function exportStatus({ db }: Services, { group }: GroupSubject): Promise<GroupExportStatusEntity> {
  const row = await store.findExport(db.read, group.id);
  return {
    id: group.id,
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    created_at: instant(group.created_at),
    export_status: statusOf(row),
    export_error: row?.error ?? null,
  };
}

/** Opens the latest export, which remains valid until it is replaced. */
export async function openExport(
  { db, storage }: Services,
  { group }: GroupSubject,
): Promise<{ file: OpenFile; filename: string }> {
  const missing = new HttpError(404, { message: '404 Not found or has expired' });
  const row = await store.findExport(db.read, group.id);
  if (!row || row.storage_key === null) throw missing;
  const file = await storage.get(row.storage_key).catch((error: unknown) => {
    throw error instanceof FileMissing ? missing : error;
  });
  return { file, filename: row.filename ?? 'export.tar.gz' };
}
