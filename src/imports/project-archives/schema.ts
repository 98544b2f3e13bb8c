import { type ParamsOf, param, required } from '../../platform/http/params.ts';

const place = {
  path: required(param.string({ description: 'Path of the new project' })),
  name: param.string({ description: 'As the path unless told' }),
  namespace: param.string({ description: 'Number or path; your own unless told' }),
  namespace_id: param.integer(),
  namespace_path: param.string(),
  overwrite: param.boolean({ description: 'Not heeded: a path that is taken is refused' }),
  override_params: param.hash({ description: param.string(), visibility: param.string() }),
};

export const fileImport = { ...place, file: required(param.file()) };
export const remoteImport = {
  ...place,
  url: required(param.string({ description: 'Where the file is: http or https' })),
};

/** The same as the route declares it: a body of any size is read, and missed, after the caller is known. */
export const fileImportSent = {
  ...place,
  path: param.string({ description: 'Path of the new project' }),
  file: param.file(),
};

export type PlaceParams = Omit<ParamsOf<typeof remoteImport>, 'url'>;
