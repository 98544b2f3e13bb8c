import type { Reader } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { FlagRow } from '../tables.ts';
import type { FeatureFlagEntity, StrategyEntity } from './schema.ts';
import { strategiesOf } from './store.ts';
import type { Strategy } from './strategy.ts';

function presentStrategy({ id, name, parameters, scopes, userList }: Strategy): StrategyEntity {
  return {
    id,
    name,
    parameters,
    scopes: scopes.map((scope) => ({ id: scope.id, environment_scope: scope.environment_scope })),
    user_list: userList && {
      id: userList.id,
      iid: Number(userList.iid),
      name: userList.name,
      user_xids: userList.user_xids,
    },
  };
}

/** Presents flags with their strategies. */
export async function presentFlags(db: Reader, rows: readonly FlagRow[]): Promise<FeatureFlagEntity[]> {
  const ids = rows.map(({ id }) => id);
  const strategies = Map.groupBy(await strategiesOf(db, ids), ({ flag_id }) => flag_id);
  return rows.map(({ id, name, description, active, created_at, updated_at }) => ({
    name,
    description,
    active: active === 1,
    version: 'new_version_flag',
    created_at: instant(created_at),
    updated_at: instant(updated_at),
    scopes: [],
    strategies: (strategies.get(id) ?? []).map(presentStrategy),
  }));
}

export async function presentFlag(db: Reader, row: FlagRow): Promise<FeatureFlagEntity> {
  const [flag] = await presentFlags(db, [row]);
  if (!flag) throw new Error('presentFlags returned no entity');
  return flag;
}
