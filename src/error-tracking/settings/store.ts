import type { Reader, Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { ClientKeyRow, SettingRow } from './tables.ts';

const settingOf = statement((db, param: Param<{ project: number }>) =>
  db.selectFrom('error_tracking_settings').selectAll().where('project_id', '=', param('project')),
);

export function findSetting(db: Reader, project: number): Promise<SettingRow | undefined> {
  return settingOf.first(db, { project });
}

export async function saveSetting(
  trx: Writer,
  project: number,
  { active, integrated }: { readonly active: number; readonly integrated: number },
): Promise<SettingRow> {
  const now = Date.now();
  return trx
    .insertInto('error_tracking_settings')
    .values({ project_id: project, active, integrated, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ active, integrated, updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the keys of a project until the end of the transaction. */
export function lockKeys(trx: Writer, project: number): Promise<void> {
  return acquireLock(trx, `error-tracking-keys-${project}`);
}

export function listKeys(db: Reader, project: number, slice: Slice): Promise<{ rows: ClientKeyRow[]; total: number }> {
  const keys = db.selectFrom('error_tracking_client_keys').selectAll().where('project_id', '=', project).orderBy('id');
  return fetchPage(db, keys, slice);
}

export async function countKeys(db: Reader, project: number): Promise<{ all: number; active: number }> {
  const found = await db
    .selectFrom('error_tracking_client_keys')
    .select((eb) => [eb.fn.countAll<number>().as('all'), eb.fn.sum<number | null>('active').as('active')])
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow();
  return { all: Number(found.all), active: Number(found.active ?? 0) };
}

export function insertKey(trx: Writer, project: number, publicKey: string): Promise<ClientKeyRow> {
  return trx
    .insertInto('error_tracking_client_keys')
    .values({ project_id: project, public_key: publicKey, created_at: Date.now() })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns whether the key existed. */
export async function deleteKey(trx: Writer, project: number, id: number): Promise<boolean> {
  const result = await trx
    .deleteFrom('error_tracking_client_keys')
    .where('id', '=', id)
    .where('project_id', '=', project)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

// Queried for every event; cached as long as nothing is committed.
const openKey = statement(
  (db, param: Param<{ project: number; key: string }>) =>
    db
      .selectFrom('error_tracking_client_keys as k')
      .innerJoin('error_tracking_settings as s', 's.project_id', 'k.project_id')
      .select(['k.id'])
      .where('k.public_key', '=', param('key'))
      .where('k.project_id', '=', param('project'))
      .where('k.active', '=', 1)
      .where('s.active', '=', 1)
      .where('s.integrated', '=', 1),
  { cached: true },
);

/** Returns the ID of a key if it currently allows sending events to the project. */
export async function findOpenKey(db: Reader, project: number, key: string): Promise<number | undefined> {
  return (await openKey.first(db, { project, key }))?.id;
}

const trackedAmong = statement((db, param: Param<{ projects: readonly number[] }>) =>
  db.selectFrom('error_tracking_settings').select('project_id').where('project_id', 'in', param.ids('projects')),
);

/** Returns which of these projects exist and have error tracking settings. */
export async function findTracked(db: Reader, projects: readonly number[]): Promise<Set<number>> {
  const rows = await trackedAmong.all(db, { projects });
  return new Set(rows.map((row) => row.project_id));
}
