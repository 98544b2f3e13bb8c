import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { runnerJobs } from '../jobs/public.ts';
import { runnerList } from './list.ts';
import { runnerTypes } from './tables.ts';

const listFields = {
  id: Type.Integer(),
  description: nullable(Type.String()),
  ip_address: Type.String(),
  active: Type.Boolean(),
  paused: Type.Boolean(),
  is_shared: Type.Boolean(),
  runner_type: Type.String(),
  name: nullable(Type.String()),
  online: nullable(Type.Boolean()),
  created_by: nullable(BasicUser),
  created_at: timestamp(),
  status: Type.String(),
  job_execution_status: Type.String(),
};
export const Runner = entity('Runner', listFields);
export const RunnerDetails = entity('RunnerDetails', {
  ...listFields,
  tag_list: Type.Array(Type.String()),
  run_untagged: Type.Boolean(),
  locked: Type.Boolean(),
  maximum_timeout: nullable(Type.Integer()),
  access_level: Type.String(),
  version: nullable(Type.String()),
  revision: nullable(Type.String()),
  platform: nullable(Type.String()),
  architecture: nullable(Type.String()),
  contacted_at: nullable(timestamp()),
  maintenance_note: nullable(Type.String()),
  projects: Type.Array(
    Type.Object({
      id: Type.Integer(),
      description: nullable(Type.String()),
      name: Type.String(),
      name_with_namespace: Type.String(),
      path: Type.String(),
      path_with_namespace: Type.String(),
      created_at: timestamp(),
    }),
  ),
  groups: Type.Array(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() })),
});
export const RunnerManager = entity('RunnerManager', {
  id: Type.Integer(),
  system_id: Type.String(),
  version: nullable(Type.String()),
  revision: nullable(Type.String()),
  platform: nullable(Type.String()),
  architecture: nullable(Type.String()),
  created_at: timestamp(),
  contacted_at: nullable(timestamp()),
  ip_address: nullable(Type.String()),
  status: Type.String(),
  job_execution_status: Type.String(),
});
export const Registration = entity('RunnerRegistration', {
  id: Type.Integer(),
  token: Type.String(),
  token_expires_at: nullable(timestamp()),
});
export const NewToken = entity('RunnerToken', { token: Type.String(), token_expires_at: nullable(timestamp()) });

export type RunnerEntity = Static<typeof Runner>;
export type RunnerDetailsEntity = Static<typeof RunnerDetails>;
export type RunnerManagerEntity = Static<typeof RunnerManager>;
export type RegistrationEntity = Static<typeof Registration>;

const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const oneRunner = { id: required(param.integer()) };
export const someRunners = runnerList.params;
export const runnersOfOwner = { ...owner, ...runnerList.params };
export const details = { ...oneRunner, include_projects: withDefault(param.boolean(), true) };

export const jobsOfOne = {
  ...oneRunner,
  ...runnerJobs.params,
  system_id: param.string({ description: 'System ID of the runner manager that ran the jobs' }),
  order_by: param.oneOf(['id']),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc' as const),
  pagination: param.string({ description: 'Set to `keyset` for keyset pagination' }),
  cursor: param.string(),
  page_token: param.string({ description: 'A cursor, or the ID of the last job of the previous page' }),
};

const changeable = {
  description: param.string(),
  paused: param.boolean(),
  tag_list: param.commaList(),
  run_untagged: param.boolean(),
  locked: param.boolean(),
  access_level: param.oneOf(['not_protected', 'ref_protected']),
  maximum_timeout: orNull(param.int32()),
  maintenance_note: orNull(param.string()),
};
export const newRunner = {
  runner_type: required(param.oneOf(runnerTypes)),
  group_id: param.integer(),
  project_id: param.integer(),
  ...changeable,
};
export const runnerChange = { ...oneRunner, ...changeable, active: param.boolean() };
export const changing = ['active', ...Object.keys(changeable)];

/** Information a runner reports about its machine. */
const info = param.hash({
  name: param.string(),
  version: param.string(),
  revision: param.string(),
  platform: param.string(),
  architecture: param.string(),
  executor: param.string(),
  shell: param.string(),
  config: param.any(),
  labels: param.any(),
  features: param.any(),
});
/** Identifies the runner manager that sends the request. */
export const contactOfRunner = { system_id: param.string(), info };
export const ofRunner = { token: required(param.string()), ...contactOfRunner };
/** Parameters of runner registration. Two of them have deprecated aliases. */
export const registering = {
  token: required(param.string()),
  ...changeable,
  active: param.boolean(),
  maintainer_note: param.string(),
  info,
};
export const managerOfRunner = { token: required(param.string()), system_id: required(param.string()) };

export type NewRunnerParams = ParamsOf<typeof newRunner>;
export type RunnerChangeParams = Omit<ParamsOf<typeof runnerChange>, 'id'>;
export type RunnerContact = Omit<ParamsOf<typeof ofRunner>, 'token'>;
export type RegisteringParams = Omit<ParamsOf<typeof registering>, 'token'>;
