import Type from 'typebox';
import { type ParamsOf, param } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { oneRequest } from '../schema.ts';

export const merge = {
  ...oneRequest,
  sha: param.string(),
  merge_commit_message: param.string(),
  squash_commit_message: param.string(),
  squash: param.boolean(),
  should_remove_source_branch: param.boolean(),
  auto_merge: param.boolean(),
  merge_when_pipeline_succeeds: param.boolean(),
  skip_merge_train: param.boolean(),
};
export type MergeParams = Omit<ParamsOf<typeof merge>, 'id'>;

export const rebase = { ...oneRequest, skip_ci: param.boolean() };

export const MergeRef = entity('MergeRequestMergeRef', { commit_id: Type.String() });
export const DefaultMessages = entity('MergeRequestDefaultMessages', {
  merge_commit_message: Type.String(),
  squash_commit_message: Type.String(),
});
export type DefaultMessagesEntity = Type.Static<typeof DefaultMessages>;

export const Rebasing = entity('MergeRequestRebasing', { rebase_in_progress: Type.Boolean() });
export const Canceled = entity('MergeRequestAutoMergeCanceled', { status: Type.String() });
