import { notBlank, param, required } from '../../../platform/http/params.ts';
import { project } from '../schema.ts';

export const submodule = {
  ...project,
  submodule: required(param.string({ description: 'URL-encoded path of the submodule' })),
  branch: notBlank(required(param.string())),
  commit_sha: notBlank(required(param.string())),
  commit_message: param.string(),
};
