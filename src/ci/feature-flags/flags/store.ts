import type { Reader, Writer } from '../../../platform/database/database.ts';
import { storedStringMap } from '../../../platform/stored-json.ts';
import type { FlagRow, NewFlagRow, ScopeRow, UserListRow } from '../tables.ts';
import type { Planned, Strategy } from './strategy.ts';

export function flagNamed(db: Reader, projectId: number, name: string): Promise<FlagRow | undefined> {
  return db
    .selectFrom('feature_flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function flagsOf(db: Reader, projectId: number): Promise<FlagRow[]> {
  return db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId).orderBy('name').execute();
}

export async function countFlags(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('feature_flags')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Strategies of the given flags in creation order. */
export async function strategiesOf(db: Reader, flagIds: readonly number[]): Promise<Strategy[]> {
  if (flagIds.length === 0) return [];
  const rows = await db
    .selectFrom('feature_flag_strategies')
    .selectAll()
    .where('flag_id', 'in', [...flagIds])
    .orderBy('id')
    .execute();
  const [scopes, lists] = [
    await scopesOf(
      db,
      rows.map(({ id }) => id),
    ),
    await listsOf(
      db,
      rows.flatMap(({ user_list_id }) => user_list_id ?? []),
    ),
  ];
  return rows.map(({ id, flag_id, name, parameters, user_list_id }) => ({
    id,
    flag_id,
    name,
    parameters: storedStringMap(parameters),
    userList: lists.get(user_list_id ?? 0) ?? null,
    scopes: scopes.get(id) ?? [],
  }));
}

async function scopesOf(db: Reader, strategyIds: readonly number[]): Promise<Map<number, ScopeRow[]>> {
  if (strategyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('feature_flag_scopes')
    .selectAll()
    .where('strategy_id', 'in', [...strategyIds])
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ strategy_id }) => strategy_id);
}

async function listsOf(db: Reader, ids: readonly number[]): Promise<Map<number, UserListRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns which of these IDs are user lists of the project. */
export async function ownLists(db: Reader, projectId: number, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export function insertFlag(trx: Writer, row: NewFlagRow): Promise<FlagRow> {
  return trx.insertInto('feature_flags').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Updates a flag and locks its row, so that concurrent changes wait. */
export function updateFlag(trx: Writer, id: number, change: Partial<NewFlagRow>): Promise<FlagRow> {
  return trx.updateTable('feature_flags').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteFlag(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('feature_flags').where('id', '=', id).execute();
}

/** Applies planned changes to the strategies of a flag. */
export async function saveStrategies(trx: Writer, flagId: number, { removed, saved }: Planned): Promise<void> {
  if (removed.length > 0) {
    await trx
      .deleteFrom('feature_flag_strategies')
      .where('id', 'in', [...removed])
      .execute();
  }
  for (const { id, name, parameters, userListId, scopes, removedScopes } of saved) {
    const row = { flag_id: flagId, name, parameters: JSON.stringify(parameters), user_list_id: userListId };
    const strategyId = id ?? (await insertStrategy(trx, row));
    if (id !== undefined) await trx.updateTable('feature_flag_strategies').set(row).where('id', '=', id).execute();
    if (removedScopes.length > 0) {
      await trx
        .deleteFrom('feature_flag_scopes')
        .where('id', 'in', [...removedScopes])
        .execute();
    }
    await saveScopes(trx, strategyId, scopes);
  }
}

async function insertStrategy(
  trx: Writer,
  row: { flag_id: number; name: string; parameters: string; user_list_id: number | null },
): Promise<number> {
  const { id } = await trx.insertInto('feature_flag_strategies').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

async function saveScopes(trx: Writer, strategyId: number, scopes: Planned['saved'][number]['scopes']): Promise<void> {
  const added = scopes.filter(({ id }) => id === undefined);
  for (const { id, environment_scope } of scopes) {
    if (id === undefined) continue;
    await trx.updateTable('feature_flag_scopes').set({ environment_scope }).where('id', '=', id).execute();
  }
  if (added.length === 0) return;
  const rows = added.map(({ environment_scope }) => ({ strategy_id: strategyId, environment_scope }));
  await trx.insertInto('feature_flag_scopes').values(rows).execute();
}
