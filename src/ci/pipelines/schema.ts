import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { basicFields } from './basic.ts';
import { pipelineFilterParams, pipelineList } from './list.ts';

export const PipelineListItem = entity('PipelineListItem', { ...basicFields, name: nullable(Type.String()) });
export type PipelineListEntity = Static<typeof PipelineListItem>;

const DetailedStatus = entity('DetailedStatus', {
  icon: Type.String(),
  text: Type.String(),
  label: Type.String(),
  group: Type.String(),
  tooltip: Type.String(),
  has_details: Type.Boolean(),
  details_path: Type.String(),
  illustration: nullable(Type.Object({})),
  favicon: Type.String(),
});

export const Pipeline = entity('Pipeline', {
  ...basicFields,
  before_sha: Type.String(),
  tag: Type.Boolean(),
  yaml_errors: nullable(Type.String()),
  user: nullable(BasicUser),
  started_at: nullable(timestamp()),
  finished_at: nullable(timestamp()),
  committed_at: nullable(timestamp()),
  duration: nullable(Type.Integer()),
  queued_duration: nullable(Type.Integer()),
  coverage: nullable(Type.String()),
  detailed_status: DetailedStatus,
  archived: Type.Boolean(),
  name: Type.Optional(nullable(Type.String())),
});
export type PipelineEntity = Static<typeof Pipeline>;

export const PipelineVariable = entity('PipelineVariable', {
  variable_type: Type.String(),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
});

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };

export const onePipeline = { ...project, pipeline_id: required(param.integer()) };

export const latest = {
  ...project,
  ref: param.string({ description: 'Branch or tag; defaults to the default branch' }),
};

/** An input that the configuration declares. */
export const PipelineInput = entity('PipelineInput', {
  name: Type.String(),
  type: Type.String({ description: '`string`, `number`, `boolean` or `array`' }),
  description: nullable(Type.String()),
  required: Type.Boolean(),
  default: Type.Unknown(),
  options: nullable(Type.Array(Type.Unknown())),
  regex: nullable(Type.String()),
  rules: nullable(Type.Array(Type.Unknown())),
});

export const metadata = { ...onePipeline, name: required(param.string()) };

export const newPipeline = {
  ...project,
  ref: required(param.string({ description: 'Branch or tag to run the pipeline on' })),
  variables: param.hashes({
    key: required(param.string()),
    value: required(param.string()),
    variable_type: withDefault(param.oneOf(['env_var', 'file']), 'env_var' as const),
  }),
  inputs: param.any({ description: 'Values of the configuration inputs, by name' }),
};

export const listing = {
  ...project,
  ...pipelineFilterParams,
  username: param.string(),
  ...orderParams(pipelineList.orders, 'id', 'desc'),
};
export type PipelineListParams = ParamsOf<typeof listing>;
