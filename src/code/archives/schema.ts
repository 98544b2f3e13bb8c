import { param, required, withDefault } from '../../platform/http/params.ts';
import { type Suffix, suffixes } from './formats.ts';

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };

export const archive = {
  ...project,
  sha: param.string({ description: 'Branch, tag or commit; defaults to the default branch' }),
  path: param.string({ description: 'File or folder to include; defaults to the whole repository' }),
  exclude_paths: param.commaList(),
  include_lfs_blobs: withDefault(param.boolean(), true),
  append_sha: withDefault(param.boolean(), true),
  format: param.oneOf(Object.keys(suffixes) as Suffix[]),
};
export const snapshot = { ...project, wiki: withDefault(param.boolean(), false) };
