import { type ParamsOf, param, withDefault } from '../../../platform/http/params.ts';
import { orderParams } from '../../../platform/list-kit/order.ts';
import { additions, owner } from '../schema.ts';
import { groupList } from './list.ts';

const { custom_attributes, search, skip_groups, visibility, ...others } = groupList.params;
const attributes = { with_custom_attributes: additions.with_custom_attributes, custom_attributes };
const leastLevel = param.integerOf([5, 10, 15, 20, 30, 40, 50]);
const order = orderParams(groupList.orders, 'name', 'asc');

/** Filters of every group list. */
const filters = {
  statistics: additions.statistics,
  archived: others.archived,
  skip_groups,
  all_available: param.boolean(),
  visibility,
  search,
  owned: withDefault(param.boolean(), false),
  ...order,
  min_access_level: leastLevel,
  top_level_only: others.top_level_only,
  marked_for_deletion_on: others.marked_for_deletion_on,
  active: others.active,
  repository_storage: param.string({ description: 'Administrators only' }),
  ...attributes,
};
/** `GET /groups` also supports keyset pagination for unauthenticated callers. */
export const allGroups = { ...filters, pagination: param.string(), cursor: param.string() };
export const groupsBelow = { ...owner, ...filters };

export const sharedGroups = {
  ...owner,
  skip_groups,
  visibility,
  search,
  min_access_level: leastLevel,
  ...order,
  ...attributes,
};
export const invitedGroups = {
  ...owner,
  relation: param.oneOrMoreOf(['direct', 'inherited']),
  search,
  min_access_level: leastLevel,
  ...attributes,
};

/** Filter and sort parameters of group lists. */
export type GroupListParams = Partial<Omit<ParamsOf<typeof filters>, 'order_by' | 'sort'>> &
  Pick<ParamsOf<typeof filters>, 'order_by' | 'sort'>;
export type InvitedGroupsParams = Omit<ParamsOf<typeof invitedGroups>, 'id'>;
