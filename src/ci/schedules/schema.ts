import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { PipelineBasic, pipelineFilterParams } from '../pipelines/public.ts';

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: nullable(timestamp()),
  active: Type.Boolean(),
  created_at: timestamp(),
  updated_at: timestamp(),
  owner: nullable(BasicUser),
  inputs: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.Unknown() }))),
};

export const ScheduleVariable = entity('PipelineScheduleVariable', {
  variable_type: Type.String(),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
});
export type ScheduleVariableEntity = Static<typeof ScheduleVariable>;

export const Schedule = entity('PipelineSchedule', fields);
export const ScheduleDetails = entity('PipelineScheduleDetails', {
  ...fields,
  last_pipeline: nullable(PipelineBasic),
  variables: Type.Optional(Type.Array(ScheduleVariable)),
});
export type ScheduleEntity = Static<typeof Schedule>;
export type ScheduleDetailsEntity = Static<typeof ScheduleDetails>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const listing = { ...project, scope: param.oneOf(['active', 'inactive']) };
export const oneSchedule = { ...project, pipeline_schedule_id: required(param.integer()) };

const attributes = {
  description: param.string(),
  ref: param.string({ description: 'Branch or tag to run on' }),
  cron: param.string({ description: 'Cron expression with five fields' }),
  cron_timezone: param.string({ description: 'Time zone name' }),
  active: param.boolean(),
};

export const newSchedule = {
  ...project,
  description: required(attributes.description),
  ref: required(attributes.ref),
  cron: required(attributes.cron),
  cron_timezone: withDefault(attributes.cron_timezone, 'UTC'),
  active: withDefault(attributes.active, true),
  inputs: param.hashes({ name: required(param.string()), value: param.any() }),
};
export const scheduleChange = {
  ...oneSchedule,
  ...attributes,
  inputs: param.hashes({ name: required(param.string()), value: param.any(), destroy: param.boolean() }),
};
export type NewScheduleParams = ParamsOf<typeof newSchedule>;
export type ScheduleChangeParams = ParamsOf<typeof scheduleChange>;

const { scope, status, updated_after, updated_before, created_after, created_before } = pipelineFilterParams;
export const pipelines = {
  ...oneSchedule,
  scope,
  status,
  updated_after,
  updated_before,
  created_after,
  created_before,
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc' as const),
};
export type SchedulePipelinesParams = ParamsOf<typeof pipelines>;

const types = ['env_var', 'file'] as const;
export const oneVariable = { ...oneSchedule, key: required(param.string()) };
export const newVariable = {
  ...oneVariable,
  value: required(param.string()),
  variable_type: withDefault(param.oneOf(types), 'env_var' as const),
};
export const variableChange = { ...oneVariable, value: param.string(), variable_type: param.oneOf(types) };
export type NewVariableParams = ParamsOf<typeof newVariable>;
export type VariableChangeParams = ParamsOf<typeof variableChange>;
