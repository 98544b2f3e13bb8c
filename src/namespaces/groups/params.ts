import { visibilityNames } from '../../access/roles.ts';
import { nullable, param, required, withDefault } from '../../platform/http/params.ts';
import { creationSettings, updateSettings } from './setting-params.ts';

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path of the group' })) };

const attributes = {
  with_custom_attributes: withDefault(param.boolean({ description: 'Administrators only' }), false),
  custom_attributes: param.map({ description: 'Administrators only' }),
};

const leastLevel = param.integerOf([5, 10, 15, 20, 30, 40, 50]);
const order = {
  order_by: withDefault(param.oneOf(['name', 'path', 'id', 'similarity']), 'name'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
};

/** The filters of every list of groups. */
export const list = {
  statistics: withDefault(param.boolean({ description: 'Administrators and auditors only' }), false),
  archived: param.boolean(),
  skip_groups: param.integers(),
  all_available: param.boolean(),
  visibility: param.oneOf(visibilityNames),
  search: param.string(),
  owned: withDefault(param.boolean(), false),
  ...order,
  min_access_level: leastLevel,
  top_level_only: withDefault(param.boolean(), false),
  marked_for_deletion_on: param.date(),
  active: param.boolean(),
  repository_storage: param.string({ description: 'Administrators only' }),
  ...attributes,
};
/** The list of all groups can also be walked by cursors, by those who are not signed in. */
export const allGroups = { ...list, pagination: param.string(), cursor: param.string() };
export const listBelow = { ...owner, ...list };

export const sharedGroups = {
  ...owner,
  skip_groups: param.integers(),
  visibility: param.oneOf(visibilityNames),
  search: param.string(),
  min_access_level: leastLevel,
  ...order,
  ...attributes,
};
export const invitedGroups = {
  ...owner,
  relation: param.oneOrMoreOf(['direct', 'inherited']),
  search: param.string(),
  min_access_level: leastLevel,
  ...attributes,
};

export const detail = {
  ...owner,
  ...attributes,
  statistics: list.statistics,
  with_projects: withDefault(param.boolean({ description: 'Deprecated' }), true),
};

const texts = {
  description: nullable(param.string()),
  visibility: param.oneOf(visibilityNames),
  avatar: nullable(param.file()),
};
export const creation = {
  name: required(param.string()),
  path: required(param.string()),
  parent_id: param.integer(),
  organization_id: param.integer(),
  ...texts,
  ...creationSettings,
};
export const update = { ...owner, name: param.string(), path: param.string(), ...texts, ...updateSettings };

export const share = {
  ...owner,
  group_id: required(param.integer()),
  group_access: required(param.integerOf([10, 15, 20, 30, 40, 50])),
  expires_at: param.date(),
};
export const unshare = { ...owner, group_id: required(param.integer()) };
export const deletion = { ...owner, permanently_remove: param.boolean(), full_path: param.string() };
export const archiving = { ...owner, with_projects: withDefault(param.boolean(), false) };
export const transfer = { ...owner, group_id: param.integer() };
export const transferLocations = { ...owner, search: param.string() };
export const projectToMove = { ...owner, project_id: required(param.string()) };
