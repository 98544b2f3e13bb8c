import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { day, entity, nullable } from '../../platform/http/schema.ts';
import { namespaceList } from './list.ts';

/** A personal or group namespace. The plan and most counts are visible to owners only. */
export const Namespace = entity('Namespace', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.String(),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
  members_count_with_descendants: Type.Optional(Type.Integer()),
  root_repository_size: Type.Optional(Type.Integer()),
  projects_count: Type.Optional(Type.Integer()),
  shared_runners_minutes_limit: Type.Optional(nullable(Type.Integer())),
  extra_shared_runners_minutes_limit: Type.Optional(nullable(Type.Integer())),
  ci_minutes_usage: Type.Optional(
    Type.Object({
      total_minutes_used: Type.Integer(),
      monthly_minutes_used: Type.Integer(),
      purchased_minutes_used: Type.Integer(),
    }),
  ),
  billable_members_count: Type.Integer(),
  plan: Type.Optional(Type.String()),
  trial_ends_on: Type.Optional(nullable(day())),
  trial: Type.Optional(Type.Boolean()),
});
export type NamespaceEntity = Static<typeof Namespace>;

/** Monthly limit and usage of compute minutes on instance runners. */
export type MinutesEntity = Required<
  Pick<NamespaceEntity, 'shared_runners_minutes_limit' | 'extra_shared_runners_minutes_limit' | 'ci_minutes_usage'>
>;

/** Subscription of a namespace; always the default plan. */
export const Subscription = entity('GitlabSubscription', {
  plan: Type.Object({
    code: Type.String(),
    name: Type.String(),
    trial: Type.Boolean(),
    auto_renew: nullable(Type.Boolean()),
    upgradable: Type.Boolean(),
  }),
  usage: Type.Object({
    seats_in_subscription: nullable(Type.Integer()),
    seats_in_use: Type.Integer(),
    max_seats_used: nullable(Type.Integer()),
    seats_owed: nullable(Type.Integer()),
  }),
  billing: Type.Object({
    subscription_start_date: nullable(day()),
    subscription_end_date: nullable(day()),
    trial_ends_on: nullable(day()),
  }),
});
export type SubscriptionEntity = Static<typeof Subscription>;

export const Existence = entity('NamespaceExistence', {
  exists: Type.Boolean(),
  suggests: Type.Array(Type.String()),
});
export type ExistenceEntity = Static<typeof Existence>;

export const list = {
  search: namespaceList.params.search,
  owned_only: withDefault(param.boolean(), false),
  top_level_only: namespaceList.params.top_level_only,
  full_path_search: withDefault(param.boolean(), false),
};
export const single = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const change = {
  ...single,
  shared_runners_minutes_limit: orNull(param.integer({ description: 'Compute minutes per month; null: the default' })),
  extra_shared_runners_minutes_limit: orNull(
    param.integer({ description: 'Compute minutes that are used after these' }),
  ),
};
export type NamespaceChange = Omit<ParamsOf<typeof change>, 'id'>;
export const existence = { ...single, parent_id: param.integer() };
