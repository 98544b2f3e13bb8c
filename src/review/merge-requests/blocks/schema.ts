import Type, { type Static } from 'typebox';
import { exactlyOneOf, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { MergeRequestBasic, oneRequest } from '../schema.ts';

export const Block = entity('MergeRequestDependency', {
  id: Type.Integer(),
  blocking_merge_request: MergeRequestBasic,
  blocked_merge_request: MergeRequestBasic,
  project_id: Type.Integer(),
});
export type BlockEntity = Static<typeof Block>;

export const newBlock = {
  ...oneRequest,
  blocking_merge_request_id: param.integer({ description: 'Global ID of the blocking merge request' }),
  blocking_merge_request_iid: param.integer({
    description: 'IID of the blocking merge request in `blocking_project_id`',
  }),
  blocking_project_id: param.string({
    description: 'ID or path of the project of the blocking merge request; defaults to the same project',
  }),
};
export const newBlockRule = exactlyOneOf('blocking_merge_request_id', 'blocking_merge_request_iid');
export const oneBlock = { ...oneRequest, block_id: required(param.integer()) };

export type NewBlockParams = ParamsOf<typeof newBlock>;
