import { type Insertable, sql, type Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { StateRow, TerraformStatesTable, TerraformStateVersionsTable, VersionRow } from './tables.ts';

export function findState(db: Reader, projectId: number, name: string): Promise<StateRow | undefined> {
  return db
    .selectFrom('terraform_states')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Lists the states of a project by name. */
export function listStates(db: Reader, projectId: number, slice: Slice) {
  return fetchPage(
    db,
    db.selectFrom('terraform_states').selectAll().where('project_id', '=', projectId).orderBy('name'),
    slice,
  );
}

/** Lists the versions of a state, most recently written first. */
export function listVersions(db: Reader, stateId: number, slice: Slice) {
  return fetchPage(
    db,
    db.selectFrom('terraform_state_versions').selectAll().where('state_id', '=', stateId).orderBy('id', 'desc'),
    slice,
  );
}

/** Returns the most recently written version of each of these states. */
export function latestVersions(db: Reader, stateIds: readonly number[]): Promise<VersionRow[]> {
  if (stateIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('terraform_states as s')
    .innerJoin('terraform_state_versions as v', (join) =>
      join.on('v.id', '=', sql<number>`(select max(l.id) from terraform_state_versions l where l.state_id = s.id)`),
    )
    .selectAll('v')
    .where('s.id', 'in', [...stateIds])
    .execute();
}

/** Finds a state by name and locks its row until the transaction ends. */
export async function lockState(trx: Writer, projectId: number, name: string): Promise<StateRow | undefined> {
  const found = await findState(trx, projectId, name);
  return found && lockRow(trx, 'terraform_states', found.id);
}

/** Like `lockState`, but creates the state if it does not exist. */
export async function ensureState(trx: Writer, projectId: number, name: string): Promise<StateRow | undefined> {
  const now = Date.now();
  await trx
    .insertInto('terraform_states')
    .values({ project_id: projectId, name, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return lockState(trx, projectId, name);
}

export function updateState(trx: Writer, id: number, change: Updateable<TerraformStatesTable>): Promise<StateRow> {
  return trx.updateTable('terraform_states').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteState(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('terraform_states').where('id', '=', id).execute();
}

/** Returns the most recently written version. */
export function latestVersion(db: Reader, stateId: number): Promise<VersionRow | undefined> {
  return db
    .selectFrom('terraform_state_versions')
    .selectAll()
    .where('state_id', '=', stateId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function versionOf(db: Reader, stateId: number, serial: number): Promise<VersionRow | undefined> {
  return db
    .selectFrom('terraform_state_versions')
    .selectAll()
    .where('state_id', '=', stateId)
    .where('serial', '=', serial)
    .executeTakeFirst();
}

export async function insertVersion(trx: Writer, row: Insertable<TerraformStateVersionsTable>): Promise<void> {
  await trx.insertInto('terraform_state_versions').values(row).execute();
}

export async function deleteVersion(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('terraform_state_versions').where('id', '=', id).execute();
}

/** Returns a batch of files of a state, or of all states of a project, in ID order after `after`. */
export function filesAfter(
  db: Reader,
  of: { readonly stateId: number } | { readonly projectId: number },
  after: number,
  limit: number,
): Promise<Pick<VersionRow, 'id' | 'storage_key'>[]> {
  return db
    .selectFrom('terraform_state_versions as v')
    .innerJoin('terraform_states as s', 's.id', 'v.state_id')
    .select(['v.id', 'v.storage_key'])
    .where((eb) => ('stateId' in of ? eb('s.id', '=', of.stateId) : eb('s.project_id', '=', of.projectId)))
    .where('v.id', '>', after)
    .orderBy('v.id')
    .limit(limit)
    .execute();
}

/** Returns which of these storage keys belong to a version. */
export async function keysInUse(db: Reader, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('terraform_state_versions')
    .select('storage_key')
    .where('storage_key', 'in', keys)
    .execute();
  return new Set(rows.map(({ storage_key }) => storage_key));
}
