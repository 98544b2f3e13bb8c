import Type, { type Static } from 'typebox';
import { notBlank, param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';
import { filePathParam } from './file-path.ts';
import { rangeParam } from './line-range.ts';

export const RepositoryFile = entity('RepositoryFile', {
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer(),
  encoding: Type.String(),
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String(),
  execute_filemode: Type.Boolean(),
  content: Type.String(),
});
export type FileEntity = Static<typeof RepositoryFile>;

export const BlameRange = entity('BlameRange', {
  commit: Type.Object({
    id: Type.String(),
    parent_ids: Type.Array(Type.String()),
    message: Type.String(),
    authored_date: Type.String(),
    author_name: Type.String(),
    author_email: Type.String(),
    committed_date: Type.String(),
    committer_name: Type.String(),
    committer_email: Type.String(),
  }),
  lines: Type.Array(Type.String()),
});
export type BlameRangeEntity = Static<typeof BlameRange>;

/** The response to a file write. */
export const WrittenFile = entity('WrittenFile', { file_path: Type.String(), branch: Type.String() });

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
const ref = notBlank(required(param.string({ description: 'Branch, tag or commit; HEAD is the default branch' })));

export const file = { ...project, file_path: filePathParam(), ref };
export const raw = {
  ...project,
  file_path: filePathParam({ rooted: true }),
  ref: param.string({ description: 'Branch, tag or commit; defaults to the default branch' }),
  lfs: withDefault(param.boolean({ description: 'Return the LFS object instead of its pointer' }), false),
};
export const blame = { ...file, range: rangeParam() };

const commit = {
  start_branch: param.string({ description: 'Branch to create `branch` from' }),
  author_email: param.string(),
  author_name: param.string(),
};
// The body may be hundreds of megabytes, so it is parsed separately. This only documents it.
export const creation = {
  ...project,
  file_path: filePathParam(),
  branch: param.string({ description: 'Required' }),
  commit_message: param.string({ description: 'Required' }),
  content: param.any({ description: 'Required; may be empty' }),
  encoding: param.any({ description: '`text` or `base64`' }),
  execute_filemode: param.any({ description: 'Enable or disable the executable flag' }),
  ...commit,
};
export const update = { ...creation, last_commit_id: param.string({ description: 'Last known commit of the file' }) };
export const deletion = {
  ...project,
  file_path: filePathParam(),
  branch: notBlank(required(param.string())),
  commit_message: notBlank(required(param.string())),
  ...commit,
  last_commit_id: param.string({ description: 'Last known commit of the file' }),
};
