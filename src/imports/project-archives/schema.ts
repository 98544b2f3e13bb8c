import { visibilityNames } from '../../access/roles.ts';
import { settingParams } from '../../namespaces/projects/public.ts';
import { nullable, type ParamsOf, param, required } from '../../platform/http/params.ts';

/** Settings that take precedence over those in the archive: all project attributes except name and path. */
const overrides = param.hash({
  description: nullable(param.string()),
  visibility: param.oneOf(visibilityNames),
  tag_list: param.commaList({ description: 'Deprecated: topics' }),
  topics: param.commaList(),
  ...settingParams('update'),
});

const place = {
  path: required(param.string({ description: 'Path of the new project' })),
  name: param.string({ description: 'Name of the new project; defaults to the path' }),
  namespace: param.string({ description: 'ID or path of the namespace; defaults to the personal namespace' }),
  namespace_id: param.integer(),
  namespace_path: param.string(),
  overwrite: param.boolean({
    description: 'Whether to replace an existing project with this path, if the caller may delete it',
  }),
  override_params: overrides,
};

export const fileImport = { ...place, file: required(param.file()) };
export const remoteImport = {
  ...place,
  url: required(param.string({ description: 'URL of the file (http or https)' })),
};

export const bucketImport = {
  ...place,
  region: required(param.string()),
  bucket_name: required(param.string()),
  file_key: required(param.string({ description: 'Key of the file in the bucket' })),
  access_key_id: required(param.string()),
  secret_access_key: required(param.string()),
};

/** Parameters as declared to the route: the body is read and checked only after authentication, whatever its size. */
export const fileImportSent = {
  ...place,
  path: param.string({ description: 'Path of the new project' }),
  file: param.file(),
};

export type TargetParams = Omit<ParamsOf<typeof remoteImport>, 'url'>;
