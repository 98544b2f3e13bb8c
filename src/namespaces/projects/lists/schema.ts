import { projectRoles, visibilityNames } from '../../../access/roles.ts';
import { attributeParams } from '../../../people/custom-attributes/public.ts';
import { type ParamsOf, param, withDefault } from '../../../platform/http/params.ts';

const orders = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'similarity',
  'star_count',
] as const;
const sizes = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'] as const;

export type ProjectOrder = (typeof orders)[number] | (typeof sizes)[number];

const sort = { sort: withDefault(param.oneOf(['asc', 'desc']), 'desc') };
/** Without `order_by`, newest first; a keyset list then counts as ordered by number. */
export const ordering = { order_by: param.oneOf([...orders, ...sizes]), ...sort };

const common = {
  archived: param.boolean(),
  visibility: param.oneOf(visibilityNames),
  search: param.string(),
  starred: param.boolean({ description: 'Only what the caller starred' }),
  with_issues_enabled: param.boolean(),
  with_merge_requests_enabled: param.boolean(),
  min_access_level: param.integerOf(projectRoles),
};

/** The filters that every list of projects takes. */
export const filters = {
  ...common,
  search_namespaces: param.boolean(),
  owned: param.boolean(),
  imported: param.boolean(),
  membership: param.boolean(),
  with_programming_language: param.string(),
  id_after: param.integer(),
  id_before: param.integer(),
  last_activity_after: param.dateTime(),
  last_activity_before: param.dateTime(),
  repository_storage: param.string({ description: 'Administrators only' }),
  topic: param.commaList({ description: 'All must match' }),
  topic_id: param.integer(),
  updated_before: param.dateTime(),
  updated_after: param.dateTime(),
  include_pending_delete: param.boolean({ description: 'Administrators only' }),
  marked_for_deletion_on: param.date(),
  active: param.boolean(),
  wiki_checksum_failed: param.boolean(),
  repository_checksum_failed: param.boolean(),
  include_hidden: param.boolean(),
};

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

const groupOrders = { order_by: param.oneOf(orders), ...sort };
/** `GET /groups/:id/projects`. */
export const groupProjectListParams = {
  ...groupOrders,
  ...common,
  ...shown,
  active: param.boolean(),
  owned: param.boolean(),
  topic: param.commaList({ description: 'All must match' }),
  with_shared: withDefault(param.boolean(), true),
  include_subgroups: withDefault(param.boolean(), false),
  include_ancestor_groups: withDefault(param.boolean(), false),
  with_security_reports: param.boolean(),
  ...attributeParams,
};
/** `GET /groups/:id/projects/shared`. */
export const sharedProjectListParams = { ...groupOrders, ...common, ...shown, ...attributeParams };

/** What any of these lists may be asked for. */
export type ListOptions = Partial<
  ParamsOf<typeof filters & typeof ordering & typeof shown & typeof withStatistics & typeof attributeParams>
>;
