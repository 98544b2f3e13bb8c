import { visibilityNames } from '../../access/roles.ts';
import { settingParams } from '../../namespaces/projects/public.ts';
import { nullable, type ParamsOf, param, required } from '../../platform/http/params.ts';

/** What counts for more than the file: all that a change of the project could send, but its name and place. */
const overrides = param.hash({
  description: nullable(param.string()),
  visibility: param.oneOf(visibilityNames),
  tag_list: param.commaList({ description: 'Deprecated: topics' }),
  topics: param.commaList(),
  ...settingParams('update'),
});

const place = {
  path: required(param.string({ description: 'Path of the new project' })),
  name: param.string({ description: 'As the path unless told' }),
  namespace: param.string({ description: 'Number or path; your own unless told' }),
  namespace_id: param.integer(),
  namespace_path: param.string(),
  overwrite: param.boolean({
    description: 'Whether a project of the path, if you may remove it, makes room in the end',
  }),
  override_params: overrides,
};

export const fileImport = { ...place, file: required(param.file()) };
export const remoteImport = {
  ...place,
  url: required(param.string({ description: 'Where the file is: http or https' })),
};

export const bucketImport = {
  ...place,
  region: required(param.string()),
  bucket_name: required(param.string()),
  file_key: required(param.string({ description: 'Which file of the bucket' })),
  access_key_id: required(param.string()),
  secret_access_key: required(param.string()),
};

/** The same as the route declares it: a body of any size is read, and missed, after the caller is known. */
export const fileImportSent = {
  ...place,
  path: param.string({ description: 'Path of the new project' }),
  file: param.file(),
};

export type TargetParams = Omit<ParamsOf<typeof remoteImport>, 'url'>;
