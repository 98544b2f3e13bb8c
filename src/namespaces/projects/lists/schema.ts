import { attributeParams } from '../../../people/custom-attributes/public.ts';
import { type ParamsOf, param, withDefault } from '../../../platform/http/params.ts';
import { projectList } from './list.ts';

// `within` is said by addresses, searches leave forks out, and attributes are taken by some of the lists.
const { within: _bounds, exclude_forks, custom_attributes: _attributes, ...filters } = projectList.params;
const asked = { ...filters, exclude_forks };

export type ProjectOrder = keyof typeof projectList.orders;
const orders = Object.keys(projectList.orders) as ProjectOrder[];
/** Told to administrators alone: others get the order that is none of these. */
export const sizes: readonly ProjectOrder[] = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'];

const sort = { sort: withDefault(param.oneOf(['asc', 'desc']), 'desc') };
/** Without `order_by`, newest first; a keyset list then counts as ordered by number. */
const ordering = { order_by: param.oneOf(orders), ...sort };

const shown = { simple: withDefault(param.boolean(), false) };
const withStatistics = { statistics: withDefault(param.boolean(), false) };

/** `GET /projects`. */
export const projectListParams = { ...ordering, ...filters, ...shown, ...withStatistics, ...attributeParams };
/** `GET /projects/:id/forks`. */
export const forkListParams = { ...ordering, ...filters, ...shown, ...attributeParams };
/** `GET /users/:user_id/starred_projects`. */
export const starredListParams = { ...ordering, ...filters, ...shown, ...withStatistics };
/** `GET /users/:user_id/contributed_projects`. */
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
/** `GET /groups/:id/projects`. */
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
/** `GET /groups/:id/projects/shared`. */
export const sharedProjectListParams = { ...groupOrders, ...groupFilters, ...shown, ...attributeParams };

/** What any of these lists may be asked for. */
export type ListOptions = Partial<
  ParamsOf<typeof asked & typeof ordering & typeof shown & typeof withStatistics & typeof attributeParams>
>;
