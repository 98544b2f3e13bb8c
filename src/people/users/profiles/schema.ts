import Type, { type Static, type TProperties } from 'typebox';
import { param } from '../../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { CustomAttribute } from '../../custom-attributes/public.ts';
import { userFilterParams } from './list.ts';

const text = () => Type.String();
const textOrNull = () => nullable(Type.String());
const integerOrNull = () => nullable(Type.Integer());
const instantOrNull = () => nullable(timestamp());

const basicFields = {
  id: Type.Integer(),
  username: text(),
  public_email: textOrNull(),
  name: text(),
  state: text(),
  locked: Type.Boolean(),
  avatar_url: textOrNull(),
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
  web_url: text(),
};

/** Basic view of a user, embedded as author, assignee, owner or member. */
export const BasicUser = entity('BasicUser', basicFields);
export type BasicUserEntity = Static<typeof BasicUser>;

const profileFields = {
  ...basicFields,
  created_at: Type.Optional(timestamp()),
  bio: text(),
  location: text(),
  linkedin: text(),
  twitter: text(),
  discord: text(),
  website_url: text(),
  github: text(),
  // Documented aliases of the four profile fields above.
  social_a: text(),
  social_b: text(),
  social_c: text(),
  social_d: text(),
  job_title: textOrNull(),
  pronouns: textOrNull(),
  organization: text(),
  bot: Type.Boolean(),
  work_information: textOrNull(),
  followers: Type.Optional(Type.Integer()),
  following: Type.Optional(Type.Integer()),
  is_followed: Type.Optional(Type.Boolean()),
  local_time: textOrNull(),
};

/** Profile visible to every signed-in user. */
export const UserProfile = entity('UserProfile', profileFields);
export type UserProfileEntity = Static<typeof UserProfile>;

const Identity = entity('Identity', {
  provider: text(),
  extern_uid: text(),
  saml_provider_id: integerOrNull(),
});

const ownFields = {
  ...profileFields,
  last_sign_in_at: instantOrNull(),
  confirmed_at: instantOrNull(),
  last_activity_on: nullable(day()),
  email: text(),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: instantOrNull(),
  identities: Type.Array(Identity),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: text(),
  preferred_language: text(),
  shared_runners_minutes_limit: integerOrNull(),
  extra_shared_runners_minutes_limit: integerOrNull(),
  scim_identities: Type.Array(Type.Object({ extern_uid: text(), group_id: Type.Integer(), active: Type.Boolean() })),
};

/** View that users have of themselves. */
export const OwnUser = entity('OwnUser', ownFields);
export type OwnUserEntity = Static<typeof OwnUser>;

const adminFields = {
  ...ownFields,
  is_admin: Type.Boolean(),
  note: textOrNull(),
  namespace_id: integerOrNull(),
  created_by: nullable(BasicUser),
  using_license_seat: Type.Boolean(),
  is_auditor: Type.Boolean(),
  provisioned_by_group_id: integerOrNull(),
  enterprise_group_id: integerOrNull(),
  enterprise_group_associated_at: instantOrNull(),
  current_sign_in_ip: textOrNull(),
  last_sign_in_ip: textOrNull(),
  sign_in_count: Type.Integer(),
  plan: textOrNull(),
  trial: Type.Boolean(),
};

/** View for administrators and auditors. */
export const AdminUser = entity('AdminUser', adminFields);
export type AdminUserEntity = Static<typeof AdminUser>;

const optional = (fields: TProperties): TProperties =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));
const larger = { ...adminFields, highest_role: Type.Integer() };

/** Union of the user views, for responses that depend on the viewer. */
export const VisibleUser = entity('VisibleUser', { ...optional(larger), ...basicFields });
/** The current user; includes more fields for administrators. */
export const VisibleSelf = entity('VisibleSelf', { ...optional(adminFields), ...ownFields });

/** Parameters of `GET /users`. */
export const list = {
  ...userFilterParams,
  order_by: param.oneOf(['id', 'name', 'username', 'created_at', 'updated_at']),
  sort: param.oneOf(['asc', 'desc']),
  with_custom_attributes: param.boolean(),
  pagination: param.string({ description: '`keyset` for keyset pagination' }),
  cursor: param.string(),
};
