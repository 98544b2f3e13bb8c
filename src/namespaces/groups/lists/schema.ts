import { visibilityNames } from '../../../access/roles.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import { additions, owner } from '../schema.ts';

const attributes = {
  with_custom_attributes: additions.with_custom_attributes,
  custom_attributes: param.map({ description: 'Administrators only' }),
};
const leastLevel = param.integerOf([5, 10, 15, 20, 30, 40, 50]);
const order = {
  order_by: withDefault(param.oneOf(['name', 'path', 'id', 'similarity']), 'name'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
};

/** The filters of every list of groups. */
const filters = {
  statistics: additions.statistics,
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
export const allGroups = { ...filters, pagination: param.string(), cursor: param.string() };
export const groupsBelow = { ...owner, ...filters };

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
