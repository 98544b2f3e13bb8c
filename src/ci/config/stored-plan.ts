import Type, { type TSchema } from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';
import type { PlannedJob } from './plan.ts';

const text = Type.String();
const texts = Type.Array(text);
const flag = Type.Boolean();
const numbers = Type.Array(Type.Number());
const anyRecord = Type.Record(text, Type.Unknown());
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const literals = <W extends string>(...values: readonly W[]) => Type.Union(values.map((value) => Type.Literal(value)));

const variables = Type.Array(Type.Object({ key: text, value: text, raw: flag }));
const outcome = literals('on_success', 'on_failure', 'always');

const image = {
  name: text,
  entrypoint: orNull(texts),
  pullPolicy: orNull(texts),
  executorOpts: Type.Record(text, Type.Record(text, text)),
};

const artifacts = Type.Object({
  paths: texts,
  exclude: texts,
  untracked: flag,
  name: orNull(text),
  when: outcome,
  expireIn: orNull(text),
  exposeAs: orNull(text),
  access: literals('all', 'developer', 'maintainer', 'none'),
  reports: Type.Record(text, texts),
});

const cache = Type.Object({
  key: text,
  paths: texts,
  untracked: flag,
  policy: text,
  when: outcome,
  unprotect: flag,
  fallbackKeys: texts,
});

const environment = Type.Object({
  name: text,
  url: orNull(text),
  action: literals('start', 'prepare', 'stop', 'verify', 'access'),
  onStop: orNull(text),
  autoStopIn: orNull(text),
  deploymentTier: orNull(text),
  kubernetes: orNull(anyRecord),
});

const trigger = Type.Object({
  project: orNull(text),
  branch: orNull(text),
  include: Type.Array(anyRecord),
  strategy: orNull(literals('depend', 'mirror')),
  forward: Type.Object({ yamlVariables: flag, pipelineVariables: flag }),
  inputs: anyRecord,
});

const release = Type.Object({
  tagName: text,
  description: text,
  tagMessage: orNull(text),
  name: orNull(text),
  ref: orNull(text),
  milestones: texts,
  releasedAt: orNull(text),
  links: Type.Array(Type.Object({ name: text, url: text, filepath: orNull(text), linkType: orNull(text) })),
});

const secretSource = Type.Union([
  Type.Object({
    provider: Type.Literal('vault'),
    engine: Type.Object({ name: text, path: text }),
    path: text,
    field: text,
  }),
  Type.Object({ provider: literals('gcp_secret_manager', 'azure_key_vault'), name: text, version: orNull(text) }),
  Type.Object({ provider: Type.Literal('aws_secrets_manager'), named: Type.Record(text, text) }),
]);

/** Parses a planned job from its stored JSON. */
export const storedJob: (json: string) => PlannedJob = storedJson(
  Type.Object({
    name: text,
    groupName: text,
    kind: literals('build', 'bridge'),
    stage: text,
    stageIndex: Type.Number(),
    beforeScript: texts,
    script: texts,
    afterScript: texts,
    hooks: Type.Object({ preGetSourcesScript: texts }),
    image: orNull(Type.Object(image)),
    services: Type.Array(Type.Object({ ...image, alias: orNull(text), command: orNull(texts), variables })),
    variables,
    tags: texts,
    when: literals('on_success', 'on_failure', 'always', 'manual', 'delayed'),
    startIn: orNull(Type.Number()),
    allowFailure: flag,
    allowFailureExitCodes: numbers,
    needs: orNull(Type.Array(Type.Object({ name: text, artifacts: flag, optional: flag }))),
    pipelineNeeds: Type.Array(
      Type.Object({ pipeline: text, job: text, artifacts: flag, optional: Type.Optional(flag) }),
    ),
    projectNeeds: Type.Array(Type.Object({ project: text, job: text, ref: text, artifacts: flag })),
    dependencies: orNull(texts),
    artifacts: orNull(artifacts),
    cache: Type.Array(cache),
    environment: orNull(environment),
    resourceGroup: orNull(text),
    interruptible: flag,
    retry: Type.Object({ max: Type.Number(), when: texts, exitCodes: numbers }),
    timeout: orNull(Type.Number()),
    coverage: orNull(text),
    parallel: orNull(Type.Object({ index: Type.Number(), total: Type.Number() })),
    trigger: orNull(trigger),
    upstream: Type.Optional(text),
    release: orNull(release),
    idTokens: Type.Record(text, Type.Object({ aud: texts })),
    secrets: Type.Record(text, Type.Object({ source: secretSource, token: orNull(text), file: flag })),
    identity: orNull(text),
    pages: orNull(Type.Object({ publish: orNull(text), pathPrefix: orNull(text), expireIn: orNull(text) })),
    manualConfirmation: orNull(text),
    run: Type.Optional(Type.Array(Type.Unknown())),
    inputs: Type.Optional(
      Type.Array(
        Type.Object({
          name: text,
          type: literals('string', 'number', 'boolean', 'array'),
          default: Type.Unknown(),
          description: orNull(text),
          options: orNull(Type.Array(Type.Unknown())),
          regex: orNull(text),
        }),
      ),
    ),
  }),
);
