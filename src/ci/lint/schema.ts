import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const text = () => Type.String();
const texts = () => Type.Array(Type.String());

const LintJob = entity('LintJob', {
  name: text(),
  stage: text(),
  before_script: texts(),
  script: texts(),
  after_script: texts(),
  tag_list: texts(),
  only: Type.Optional(Type.Unknown()),
  except: Type.Optional(Type.Unknown()),
  environment: nullable(text()),
  when: text(),
  allow_failure: Type.Boolean(),
  needs: Type.Optional(Type.Unknown()),
});
export type LintJobEntity = Static<typeof LintJob>;

const LintInclude = entity('LintInclude', {
  type: text(),
  location: text(),
  blob: nullable(text()),
  raw: nullable(text()),
  extra: Type.Record(Type.String(), Type.Unknown()),
  context_project: nullable(text()),
  context_sha: nullable(text()),
});

export const LintResult = entity('LintResult', {
  valid: Type.Boolean(),
  errors: texts(),
  warnings: texts(),
  merged_yaml: nullable(text()),
  includes: Type.Array(LintInclude),
  jobs: Type.Optional(Type.Array(LintJob)),
});
export type LintResultEntity = Static<typeof LintResult>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
const shared = {
  ...project,
  dry_run: withDefault(param.boolean({ description: 'Simulate creating a pipeline, including rules' }), false),
  include_jobs: withDefault(param.boolean(), false),
};

export const ofCommit = {
  ...shared,
  content_ref: param.string({ description: 'Commit SHA, branch or tag of the configuration to validate' }),
  sha: param.string({ description: 'Alias of `content_ref`' }),
  dry_run_ref: param.string({ description: 'Branch or tag to use as the context of a dry run' }),
  ref: param.string({ description: 'Alias of `dry_run_ref`' }),
};

export const ofContent = {
  ...shared,
  content: required(param.string()),
  ref: param.string({ description: 'Branch or tag to use as the context of a dry run' }),
};
