import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { NewRemoteMirror, RemoteMirrorChange, RemoteMirrorRow } from './tables.ts';

export function listMirrors(
  db: Reader,
  projectId: number,
  slice: Slice,
): Promise<{ rows: RemoteMirrorRow[]; total: number }> {
  const query = db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function findMirror(db: Reader, id: number): Promise<RemoteMirrorRow | undefined> {
  return db.selectFrom('remote_mirrors').selectAll().where('id', '=', id).executeTakeFirst();
}

const enabled = statement((db, param: Param<{ project: number }>) =>
  db
    .selectFrom('remote_mirrors')
    .select(['id', 'update_status', 'only_protected_branches', 'last_update_started_at'])
    .where('project_id', '=', param('project'))
    .where('enabled', '=', 1)
    .orderBy('id'),
);

/** The columns that determine when an enabled mirror runs. */
export type EnabledMirror = Pick<
  RemoteMirrorRow,
  'id' | 'update_status' | 'only_protected_branches' | 'last_update_started_at'
>;

export function enabledMirrors(db: Reader, projectId: number): Promise<EnabledMirror[]> {
  return enabled.all(db, { project: projectId });
}

export function insertMirror(trx: Writer, row: NewRemoteMirror): Promise<RemoteMirrorRow> {
  return trx.insertInto('remote_mirrors').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Locks the row of a mirror until the end of the transaction and returns it. */
export function lockMirror(trx: Writer, id: number): Promise<RemoteMirrorRow | undefined> {
  return lockRow(trx, 'remote_mirrors', id);
}

export function updateMirror(
  trx: Writer,
  id: number,
  columns: RemoteMirrorChange,
): Promise<RemoteMirrorRow | undefined> {
  return trx.updateTable('remote_mirrors').set(columns).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Stores the host keys seen unless some are known. */
export async function pinHostKeys(trx: Writer, id: number, knownHosts: string): Promise<void> {
  const pinned = trx.updateTable('remote_mirrors').set({ known_hosts: knownHosts });
  await pinned.where('id', '=', id).where('known_hosts', '=', '').execute();
}

export async function deleteMirror(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('remote_mirrors').where('id', '=', id).execute();
}
