import Type, { type Static } from 'typebox';
import { PipelineBasic } from '../../../ci/pipelines/public.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { MergeRequestSimple, oneRequest } from '../schema.ts';
import { carList } from './list.ts';

export const Car = entity('MergeTrainCar', {
  id: Type.Integer(),
  merge_request: MergeRequestSimple,
  user: nullable(BasicUser),
  pipeline: nullable(PipelineBasic),
  created_at: timestamp(),
  updated_at: timestamp(),
  target_branch: Type.String(),
  status: Type.String(),
  merged_at: nullable(timestamp()),
  duration: nullable(Type.Integer()),
});
export type CarEntity = Static<typeof Car>;

export const trains = {
  id: oneRequest.id,
  // A published client sends `target_branch` here.
  ...carList.params,
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc' as const),
};
export const oneTrain = { ...trains, target_branch: required(param.string()) };
export type TrainParams = Omit<ParamsOf<typeof trains>, 'id'>;

export const boarding = {
  ...oneRequest,
  sha: param.string({ description: 'Expected head of the merge request; the request is rejected if it differs' }),
  squash: param.boolean(),
  auto_merge: param.boolean({ description: 'Whether to add it as soon as its checks pass' }),
  when_pipeline_succeeds: param.boolean({ description: 'Deprecated name of `auto_merge`' }),
};
export type BoardingParams = Omit<ParamsOf<typeof boarding>, 'id'>;
