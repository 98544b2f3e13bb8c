import { nullAsBlank, nullable, param, required } from '../../../platform/http/params.ts';
import { numbered } from '../schema.ts';

const line = nullAsBlank(param.string());

/** Attributes that administrators can set, including the documented aliases. */
const settable = {
  linkedin: line,
  twitter: line,
  discord: line,
  social_a: line,
  social_b: line,
  social_c: line,
  website_url: line,
  github: line,
  social_d: line,
  organization: line,
  job_title: line,
  projects_limit: param.integer(),
  extern_uid: param.string(),
  provider: param.string(),
  bio: line,
  location: line,
  pronouns: line,
  public_email: line,
  commit_email: line,
  admin: param.boolean(),
  auditor: param.boolean(),
  can_create_group: param.boolean(),
  external: param.boolean(),
  avatar: nullable(param.file()),
  theme_id: param.integer(),
  color_scheme_id: param.integer(),
  private_profile: param.boolean(),
  note: line,
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
