import { nullable, param, required, withDefault } from '../../platform/http/params.ts';
import { attributeParams } from '../custom-attributes/public.ts';

/** A user by number. */
export const numbered = { id: required(param.integer()) };
/** A user by number or name. */
export const namedOrNumbered = { user_id: required(param.string({ description: 'Number or user name' })) };

export const list = {
  username: param.string({ description: 'The user of exactly this name, in any case' }),
  extern_uid: param.string(),
  public_email: param.string(),
  provider: param.string(),
  search: param.string(),
  active: withDefault(param.boolean(), false),
  humans: withDefault(param.boolean(), false),
  external: withDefault(param.boolean(), false),
  blocked: withDefault(param.boolean(), false),
  created_after: param.dateTime(),
  created_before: param.dateTime(),
  without_projects: withDefault(param.boolean(), false),
  without_project_bots: withDefault(param.boolean(), false),
  admins: withDefault(param.boolean(), false),
  auditors: withDefault(param.boolean(), false),
  skip_ldap: withDefault(param.boolean(), false),
  two_factor: param.oneOf(['enabled', 'disabled']),
  exclude_active: withDefault(param.boolean(), false),
  exclude_external: withDefault(param.boolean(), false),
  exclude_humans: withDefault(param.boolean(), false),
  exclude_internal: withDefault(param.boolean(), false),
  order_by: param.oneOf(['id', 'name', 'username', 'created_at', 'updated_at']),
  sort: param.oneOf(['asc', 'desc']),
  ...attributeParams,
  pagination: param.string({ description: '`keyset` to walk the list by a cursor' }),
  cursor: param.string(),
};

/** What administrators may set; the neutral names of the documents beside those that clients use. */
const settable = {
  linkedin: param.string(),
  twitter: param.string(),
  discord: param.string(),
  social_a: param.string(),
  social_b: param.string(),
  social_c: param.string(),
  website_url: param.string(),
  github: param.string(),
  social_d: param.string(),
  organization: param.string(),
  job_title: param.string(),
  projects_limit: param.integer(),
  extern_uid: param.string(),
  provider: param.string(),
  bio: param.string(),
  location: param.string(),
  pronouns: param.string(),
  public_email: param.string(),
  commit_email: param.string(),
  admin: param.boolean(),
  auditor: param.boolean(),
  can_create_group: param.boolean(),
  external: param.boolean(),
  avatar: nullable(param.file()),
  theme_id: param.integer(),
  color_scheme_id: param.integer(),
  private_profile: param.boolean(),
  note: param.string(),
  view_diffs_file_by_file: param.boolean(),
  policy_advanced_editor: param.boolean(),
  shared_runners_minutes_limit: nullable(param.integer()),
  extra_shared_runners_minutes_limit: nullable(param.integer()),
  group_id_for_saml: param.integer(),
};

export const creation = {
  email: required(param.string()),
  password: param.string(),
  reset_password: param.boolean(),
  skip_confirmation: param.boolean(),
  force_random_password: param.boolean(),
  name: required(param.string()),
  username: required(param.string()),
  ...settable,
};

export const change = {
  ...numbered,
  email: param.string(),
  password: param.string(),
  skip_reconfirmation: param.boolean(),
  name: param.string(),
  username: param.string(),
  ...settable,
};

export const status = {
  emoji: param.string(),
  message: param.string(),
  availability: param.oneOf(['not_set', 'busy']),
  clear_status_after: param.oneOf(['30_minutes', '3_hours', '8_hours', '1_day', '3_days', '7_days', '30_days']),
};

export const preferences = {
  view_diffs_file_by_file: param.boolean(),
  show_whitespace_in_diffs: param.boolean(),
  pass_user_identities_to_ci_jwt: param.boolean(),
  policy_advanced_editor: param.boolean(),
};
