import Type, { type Static } from 'typebox';
import { CommitBasic } from '../../../code/commits/public.ts';
import { Diff } from '../../../code/repository/public.ts';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { oneRequest, requestFields } from '../schema.ts';

const versionFields = {
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: Type.String(),
  start_commit_sha: Type.String(),
  created_at: timestamp(),
  merge_request_id: Type.Integer(),
  state: Type.String(),
  real_size: Type.String(),
  patch_id_sha: nullable(Type.String()),
};

export const Version = entity('MergeRequestVersion', versionFields);
export const VersionWithDiffs = entity('MergeRequestVersionWithDiffs', {
  ...versionFields,
  commits: Type.Array(CommitBasic),
  diffs: Type.Array(Diff),
});
export const RequestWithChanges = entity('MergeRequestWithChanges', {
  ...requestFields,
  changes: Type.Array(Diff),
  overflow: Type.Boolean(),
});

export type VersionEntity = Static<typeof Version>;

const unidiff = { unidiff: withDefault(param.boolean(), false) };
export const diffs = { ...oneRequest, ...unidiff };
export const diffStats = {
  ...oneRequest,
  version_id: param.integer({ description: 'ID of a version; the latest if absent' }),
};
export const changes = { ...oneRequest, ...unidiff, access_raw_diffs: withDefault(param.boolean(), false) };
export const oneVersion = { ...oneRequest, ...unidiff, version_id: required(param.integer()) };
