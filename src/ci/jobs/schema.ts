import Type, { type Static } from 'typebox';
import { CommitBasic } from '../../code/commits/public.ts';
import { ProjectIdentity } from '../../namespaces/projects/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { PipelineBasic } from '../pipelines/public.ts';
import { scopeParam } from './list.ts';

const text = () => Type.String();
const textOrNull = () => nullable(Type.String());
const instantOrNull = () => nullable(timestamp());

/** The user of a job, with their public profile. */
const JobUser = entity('JobUser', {
  ...BasicUser.properties,
  created_at: Type.Optional(timestamp()),
  bio: text(),
  location: text(),
  linkedin: text(),
  twitter: text(),
  discord: text(),
  website_url: text(),
  github: text(),
  job_title: textOrNull(),
  pronouns: textOrNull(),
  organization: text(),
  bot: Type.Boolean(),
  work_information: textOrNull(),
  followers: Type.Optional(Type.Integer()),
  following: Type.Optional(Type.Integer()),
  local_time: textOrNull(),
});
export type JobUserEntity = Static<typeof JobUser>;

const basic = {
  id: Type.Integer(),
  status: text(),
  stage: text(),
  name: text(),
  ref: text(),
  tag: Type.Boolean(),
  coverage: nullable(Type.Number()),
  allow_failure: Type.Boolean(),
  created_at: timestamp(),
  started_at: instantOrNull(),
  finished_at: instantOrNull(),
  erased_at: instantOrNull(),
  duration: nullable(Type.Number()),
  queued_duration: nullable(Type.Number()),
  user: nullable(JobUser),
  commit: nullable(CommitBasic),
  pipeline: PipelineBasic,
  failure_reason: Type.Optional(text()),
  web_url: text(),
  project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
};

const Artifact = entity('JobArtifact', {
  file_type: text(),
  size: Type.Integer(),
  filename: text(),
  file_format: text(),
});

const JobRunner = entity('JobRunner', {
  id: Type.Integer(),
  description: textOrNull(),
  ip_address: text(),
  active: Type.Boolean(),
  paused: Type.Boolean(),
  is_shared: Type.Boolean(),
  runner_type: text(),
  name: textOrNull(),
  online: nullable(Type.Boolean()),
  created_at: timestamp(),
  status: text(),
});
export type JobRunnerEntity = Static<typeof JobRunner>;

const JobRunnerManager = entity('JobRunnerManager', {
  id: Type.Integer(),
  system_id: text(),
  version: textOrNull(),
  revision: textOrNull(),
  platform: textOrNull(),
  architecture: textOrNull(),
  created_at: timestamp(),
  contacted_at: instantOrNull(),
  ip_address: textOrNull(),
  status: text(),
});

const more = {
  artifacts: Type.Array(Artifact),
  artifacts_expire_at: instantOrNull(),
  archived: Type.Boolean(),
  source: text(),
  tag_list: Type.Array(text()),
};

export const Job = entity('Job', {
  ...basic,
  artifacts_file: Type.Optional(Type.Object({ filename: text(), size: Type.Integer() })),
  ...more,
  runner: nullable(JobRunner),
  runner_manager: nullable(JobRunnerManager),
});
export type JobEntity = Static<typeof Job>;

export const RunnerJob = entity('RunnerJob', { ...basic, project: ProjectIdentity });
export type RunnerJobEntity = Static<typeof RunnerJob>;

export const Bridge = entity('Bridge', { ...basic, ...more, downstream_pipeline: nullable(PipelineBasic) });
export type BridgeEntity = Static<typeof Bridge>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
const scope = scopeParam;

export const listing = {
  ...project,
  scope,
  ref: param.string(),
  pagination: param.string({ description: '`keyset` for keyset pagination' }),
  cursor: param.string(),
  page_token: param.string({ description: 'A cursor, or the ID of the last job of the previous page' }),
  order_by: withDefault(param.oneOf(['id']), 'id' as const),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc' as const),
};

const pipeline = { ...project, pipeline_id: required(param.integer()) };
export const ofPipeline = { ...pipeline, scope, include_retried: withDefault(param.boolean(), false) };
export const bridgesOfPipeline = { ...pipeline, scope };
export const needsOfPipeline = pipeline;

export const JobInGraph = entity('JobInGraph', {
  id: Type.Integer(),
  name: Type.String(),
  kind: Type.String({ description: '`build`, or `bridge` for a trigger job' }),
  stage: Type.String(),
  stage_index: Type.Integer(),
  status: Type.String(),
  needs: nullable(
    Type.Array(Type.String(), { description: 'Names of the needed jobs; null when the stage order applies' }),
  ),
});
export type JobInGraphEntity = Static<typeof JobInGraph>;

export const oneJob = { ...project, job_id: required(param.integer()) };
export const cancel = { ...oneJob, force: withDefault(param.boolean(), false) };
/** An input that a job declares, with its current value. */
export const JobInput = entity('JobInput', {
  name: Type.String(),
  type: Type.String({ description: '`string`, `number`, `boolean` or `array`' }),
  description: nullable(Type.String()),
  default: Type.Unknown(),
  options: nullable(Type.Array(Type.Unknown())),
  regex: nullable(Type.String()),
  value: Type.Unknown(),
});
export type JobInputEntity = Static<typeof JobInput>;

export const retry = {
  ...oneJob,
  inputs: param.any({ description: 'New values of the inputs of the job, by name' }),
  job_inputs: param.any({ description: 'Alias of `inputs`' }),
};
export const play = {
  ...oneJob,
  job_inputs: param.any({ description: 'Values of the inputs of the job, by name' }),
  job_variables_attributes: param.hashes({ key: required(param.string()), value: required(param.string()) }),
};
