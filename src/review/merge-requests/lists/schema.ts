import {
  mutuallyExclusive,
  mutuallyExclusiveIn,
  type ParamsOf,
  param,
  type Rule,
  required,
  withDefault,
} from '../../../platform/http/params.ts';
import { orderParams } from '../../../platform/list-kit/order.ts';
import { project } from '../schema.ts';
import { requestList } from './list.ts';

const { scope, iids, ...filters } = requestList.params;

const non_archived = withDefault(param.boolean(), true);

const listing = {
  ...filters,
  ...orderParams(requestList.orders, 'created_at', 'desc'),
  view: param.oneOf(['simple']),
  with_labels_details: withDefault(param.boolean(), false),
  with_merge_status_recheck: withDefault(param.boolean(), false),
  render_html: withDefault(param.boolean(), false),
  /** Documented but without effect. */
  approved: param.oneOf(['yes', 'no']),
};

export const allRequests = {
  ...listing,
  scope: withDefault(scope, 'created_by_me'),
  non_archived,
};
export const groupRequests = { ...project, ...listing, scope, non_archived };
export const projectRequests = { ...project, ...listing, scope, iids };
export const deploymentRequests = { ...projectRequests, deployment_id: required(param.integer()) };

const maxApprovers = 5;

/** Limits the number of approvers in a filter. */
const limitApprovers: Rule = ({ approved_by_ids: ids, approved_by_usernames: names }) => {
  const valuesOf = (list: unknown) => (typeof list === 'string' ? list.split(',') : list);
  const tooMany = (list: unknown) => {
    const values = valuesOf(list);
    return Array.isArray(values) && values.length > maxApprovers;
  };
  if (tooMany(ids)) return `approved_by_ids allows ${maxApprovers} values`;
  return tooMany(names) ? `approved_by_usernames allows ${maxApprovers} values` : undefined;
};

/** Negating `any` or `none` is rejected; use the other keyword instead. */
const noNegatedKeyword: Rule = ({ not }) => {
  const { reviewer_id: id } = (not ?? {}) as { readonly reviewer_id?: unknown };
  return typeof id === 'string' && /^(?:any|none)$/i.test(id.trim()) ? 'not[reviewer_id] is invalid' : undefined;
};

/** Mutually exclusive filters. */
const exclusive = [
  ['assignee_id', 'assignee_username'],
  ['author_id', 'author_username'],
  ['reviewer_id', 'reviewer_username'],
] as const;
export const listRules = [
  ...exclusive.map((pair) => mutuallyExclusive(...pair)),
  ...exclusive.map((pair) => mutuallyExclusiveIn('not', ...pair)),
  mutuallyExclusive('merge_user_id', 'merge_user_username'),
  mutuallyExclusive('approved_by_ids', 'approved_by_usernames'),
  limitApprovers,
  noNegatedKeyword,
];

export type RequestListParams = Omit<ParamsOf<typeof groupRequests>, 'id' | 'non_archived'> & {
  non_archived?: boolean;
  iids?: number[];
};
