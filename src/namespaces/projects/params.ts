import { visibilityNames } from '../../access/roles.ts';
import { attributeParams } from '../../people/custom-attributes/public.ts';
import {
  atLeastOneOf,
  notBlank,
  nullable,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import type { UploadedFile } from '../../platform/http/upload.ts';
import { settingParams } from './settings/values.ts';

export const project = { id: required(param.string({ description: 'Number or URL-encoded path' })) };

/** What create and update set beside the settings. */
const common = {
  name: param.string(),
  path: param.string(),
  default_branch: param.string(),
  description: nullable(param.string()),
  visibility: param.oneOf(visibilityNames),
  tag_list: param.commaList({ description: 'Deprecated: topics' }),
  topics: param.commaList(),
  avatar: nullable(param.file()),
  repository_storage: param.string({ description: 'Administrators only' }),
};

/** `POST /projects`. */
export const creation = {
  ...common,
  ...settingParams('create'),
  import_url: param.string(),
  initialize_with_readme: param.boolean(),
  namespace_id: param.integer(),
  template_name: param.string(),
  template_project_id: param.integer(),
  use_custom_template: param.boolean(),
  group_with_project_templates_id: param.integer(),
};
export const nameOrPath = atLeastOneOf('name', 'path');
/** `POST /projects/user/:user_id`. */
export const creationFor = { user_id: required(param.integer()), ...creation, name: required(param.string()) };

const changes = { ...common, ...settingParams('update') };
/** `PUT /projects/:id`. */
export const change = { ...project, ...changes };
export const oneChange = atLeastOneOf(...Object.keys(changes));

/** `GET /projects/:id`. */
export const single = {
  ...project,
  statistics: withDefault(param.boolean(), false),
  license: withDefault(param.boolean(), false),
  ...attributeParams,
};

export const fork = {
  ...project,
  namespace: param.string({ description: 'Deprecated: number or path' }),
  namespace_id: param.integer(),
  namespace_path: param.string(),
  path: param.string(),
  name: param.string(),
  description: param.string(),
  visibility: param.oneOf(visibilityNames),
  mr_default_target_self: param.boolean(),
  branches: param.string({ description: 'The one branch to take along; all of them without it' }),
};

export const removal = {
  ...project,
  permanently_remove: withDefault(param.boolean(), false),
  full_path: param.string(),
};

export const transfer = { ...project, namespace: required(notBlank(param.string())) };

/** What a request says about a new project; every setting may be there too. */
export type NewProject = Partial<ParamsOf<typeof common>> & {
  readonly namespace_id?: number | undefined;
  readonly import_url?: string | undefined;
  readonly initialize_with_readme?: boolean | undefined;
  readonly template_name?: string | undefined;
  readonly template_project_id?: number | undefined;
  readonly avatar?: UploadedFile | '' | null | undefined;
  readonly [setting: string]: unknown;
};
export type ProjectChange = Partial<ParamsOf<typeof common>> & { readonly [setting: string]: unknown };
