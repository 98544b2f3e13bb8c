import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { strategyNames } from '../rules.ts';
import { flagList } from './list.ts';

const Scope = entity('FeatureFlagScope', { id: Type.Integer(), environment_scope: Type.String() });
const BasicUserList = entity('FeatureFlagBasicUserList', {
  id: Type.Integer(),
  iid: Type.Integer(),
  name: Type.String(),
  user_xids: Type.String(),
});
const Strategy = entity('FeatureFlagStrategy', {
  id: Type.Integer(),
  name: Type.String(),
  parameters: Type.Record(Type.String(), Type.String()),
  scopes: Type.Array(Scope),
  user_list: nullable(BasicUserList),
});
export type StrategyEntity = Static<typeof Strategy>;

export const FeatureFlag = entity('FeatureFlag', {
  name: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  version: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  /** Used by legacy flags, which are not supported; always empty. */
  scopes: Type.Array(Scope),
  strategies: Type.Array(Strategy),
});
export type FeatureFlagEntity = Static<typeof FeatureFlag>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const named = { ...project, feature_flag_name: required(param.string()) };
export const listing = { ...project, ...flagList.params };

const strategy = {
  parameters: param.any({ description: 'Parameters of the strategy, as an object of strings' }),
  user_list_id: orNull(param.integer({ description: 'ID of a user list, for `gitlabUserList`' })),
};
const environment_scope = param.string({ description: 'Name of an environment; `*` matches any text' });
const description = orNull(param.string({ description: 'Maximum length: 255 characters' }));
const active = param.boolean({ description: 'Whether the flag is active; its strategies apply only then' });

export const creation = {
  ...project,
  name: required(param.string({ description: 'Unique in the project' })),
  description,
  active: withDefault(active, true),
  version: param.string({ description: '`new_version_flag`' }),
  strategies: param.hashes({
    name: required(param.string({ description: `One of ${strategyNames.join(', ')}` })),
    ...strategy,
    scopes: param.hashes({ environment_scope: required(environment_scope) }),
  }),
};
export type CreationParams = ParamsOf<typeof creation>;

const changed = {
  id: param.integer(),
  _destroy: param.boolean({ description: 'Whether to delete it' }),
};
export const change = {
  ...named,
  name: param.string(),
  description,
  active,
  strategies: param.hashes({
    ...changed,
    name: param.string(),
    ...strategy,
    scopes: param.hashes({ ...changed, environment_scope }),
  }),
};
export type ChangeParams = ParamsOf<typeof change>;
/** Requested changes to the strategies of a flag. */
export type StrategyChanges = NonNullable<ChangeParams['strategies']>;
