import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { contactOfRunner } from '../runners/public.ts';

const text = () => Type.String();
const texts = () => Type.Array(Type.String());

const image = {
  name: text(),
  entrypoint: nullable(texts()),
  ports: Type.Array(Type.Object({ number: Type.Integer() })),
  executor_opts: Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
  pull_policy: nullable(texts()),
};

/** Provider-specific location of a secret. */
const secretLocation = Type.Record(Type.String(), Type.Unknown());

/** A job as sent to a runner. Runners parse it strictly: a wrong type loses the job. */
export const JobPayload = entity('JobPayload', {
  id: Type.Integer(),
  token: text(),
  allow_git_fetch: Type.Boolean(),
  job_info: Type.Object({
    id: Type.Integer(),
    name: text(),
    stage: text(),
    pipeline_id: Type.Integer(),
    project_id: Type.Integer(),
    project_name: text(),
    project_full_path: text(),
    namespace_id: Type.Integer(),
    root_namespace_id: Type.Integer(),
    organization_id: Type.Integer(),
    instance_id: text(),
    instance_uuid: text(),
    user_id: nullable(Type.Integer()),
    scoped_user_id: Type.Null(),
    time_in_queue_seconds: Type.Number(),
    project_jobs_running_on_instance_runners_count: text(),
    queue_size: Type.Integer(),
    queue_depth: Type.Integer(),
  }),
  git_info: Type.Object({
    repo_url: text(),
    repo_object_format: text(),
    ref: text(),
    sha: text(),
    before_sha: text(),
    ref_type: text(),
    refspecs: texts(),
    depth: Type.Integer(),
    protected: Type.Boolean(),
  }),
  runner_info: Type.Object({ timeout: Type.Integer(), runner_session_url: nullable(text()) }),
  inputs: Type.Array(Type.Object({ key: text(), value: Type.Object({ content: Type.Unknown(), type: text() }) })),
  variables: Type.Array(
    Type.Object({
      key: text(),
      value: text(),
      public: Type.Boolean(),
      masked: Type.Boolean(),
      file: Type.Boolean(),
      raw: Type.Boolean(),
    }),
  ),
  steps: Type.Optional(
    Type.Array(
      Type.Object({
        name: text(),
        script: texts(),
        timeout: Type.Integer(),
        when: text(),
        allow_failure: Type.Boolean(),
      }),
    ),
  ),
  run: Type.Optional(text()),
  hooks: Type.Array(Type.Object({ name: text(), script: texts() })),
  image: nullable(Type.Object(image)),
  services: Type.Array(
    Type.Object({
      ...image,
      alias: nullable(text()),
      command: nullable(texts()),
      variables: Type.Array(Type.Object({ key: text(), value: text() })),
    }),
  ),
  artifacts: nullable(
    Type.Array(
      Type.Object({
        name: Type.Optional(text()),
        untracked: Type.Boolean(),
        paths: texts(),
        exclude: texts(),
        when: text(),
        expire_in: Type.Optional(text()),
        artifact_type: text(),
        artifact_format: text(),
      }),
    ),
  ),
  cache: Type.Array(
    Type.Object({
      key: text(),
      untracked: Type.Boolean(),
      paths: texts(),
      policy: text(),
      when: text(),
      fallback_keys: texts(),
    }),
  ),
  credentials: Type.Array(Type.Object({ type: text(), url: text(), username: text(), password: text() })),
  features: Type.Object({
    trace_sections: Type.Boolean(),
    token_mask_prefixes: texts(),
    failure_reasons: texts(),
  }),
  dependencies: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: text(),
      token: text(),
      artifacts_file: Type.Optional(Type.Object({ filename: text(), size: Type.Integer() })),
    }),
  ),
  secrets: Type.Optional(
    Type.Record(
      text(),
      Type.Object({
        vault: Type.Optional(secretLocation),
        gcp_secret_manager: Type.Optional(secretLocation),
        azure_key_vault: Type.Optional(secretLocation),
        aws_secrets_manager: Type.Optional(secretLocation),
        file: Type.Boolean(),
      }),
    ),
  ),
});
export type JobPayloadEntity = Static<typeof JobPayload>;

export const jobRequest = {
  token: required(param.string()),
  ...contactOfRunner,
  last_update: param.string({
    description: 'Previous value of `X-GitLab-Last-Update`; the request is then held until a job is available',
  }),
  session: param.any({ description: 'Session server of the runner; ignored' }),
};
