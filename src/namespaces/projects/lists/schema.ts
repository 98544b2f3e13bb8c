import { attributeParams } from '../../../people/custom-attributes/public.ts';
import { type ParamsOf, param, withDefault } from '../../../platform/http/params.ts';
import { projectList } from './list.ts';

// `within` is set by routes, fork lists have no `exclude_forks`, and only some of the lists accept custom attributes.
const { within: _bounds, exclude_forks, custom_attributes: _attributes, ...filters } = projectList.params;
const asked = { ...filters, exclude_forks };

export type ProjectOrder = keyof typeof projectList.orders;
const orders = Object.keys(projectList.orders) as ProjectOrder[];
/** For administrators only; other callers get the default order. */
export const sizes: readonly ProjectOrder[] = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'];

const sort = { sort: withDefault(param.oneOf(['asc', 'desc']), 'desc') };
/** Without `order_by` lists are sorted newest first; keyset lists are then ordered by id. */
const ordering = { order_by: param.oneOf(orders), ...sort };

const shown = { simple: withDefault(param.boolean(), false) };
const withStatistics = { statistics: withDefault(param.boolean(), false) };

export const projectListParams = { ...ordering, ...filters, ...shown, ...withStatistics, ...attributeParams };
export const forkListParams = { ...ordering, ...filters, ...shown, ...attributeParams };
export const starredListParams = { ...ordering, ...filters, ...shown, ...withStatistics };
export const contributedListParams = { ...ordering, ...shown };

const groupOrders = { order_by: param.oneOf(orders.filter((order) => !sizes.includes(order))), ...sort };
const { archived, visibility, search, starred, with_issues_enabled, with_merge_requests_enabled, min_access_level } =
  filters;
const groupFilters = {
  archived,
  visibility,
  search,
  starred,
  with_issues_enabled,
  with_merge_requests_enabled,
  min_access_level,
};
export const groupProjectListParams = {
  ...groupOrders,
  ...groupFilters,
  ...shown,
  active: filters.active,
  owned: filters.owned,
  topic: filters.topic,
  with_shared: withDefault(param.boolean(), true),
  include_subgroups: withDefault(param.boolean(), false),
  include_ancestor_groups: withDefault(param.boolean(), false),
  with_security_reports: param.boolean(),
  ...attributeParams,
};
export const sharedProjectListParams = { ...groupOrders, ...groupFilters, ...shown, ...attributeParams };

/** Options of all project lists. */
export type ListOptions = Partial<
  ParamsOf<typeof asked & typeof ordering & typeof shown & typeof withStatistics & typeof attributeParams>
>;
