import { anonymous } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { proxyServer, registryHost } from '../../access/registry-address.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { deployTokenForJobs } from '../../code/deploy/public.ts';
import { projectUrl, repositoryOf } from '../../code/repository/public.ts';
import { httpCloneUrl } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { instant } from '../../platform/http/schema.ts';
import { expandAll, type PlannedVariable, slug } from '../config/public.ts';
import { type CiJobRow, plannedJob, playedJobVariables } from '../jobs/public.ts';
import { type PipelineRow, pipelinesById, pipelineVariables } from '../pipelines/public.ts';
import { mergeRequestVariables } from './merge-request-variables.ts';
import { configPathOf, predefinedVariables, userVariables } from './predefined.ts';
import { refVariables } from './ref-variables.ts';
import { type JobVariable, settingVariables } from './settings.ts';

/** Attributes of a variable unless set otherwise. */
const plain = { public: true, masked: false, file: false, raw: false };

/** The execution of a job by a runner, with the credentials the job uses. */
export interface JobRun {
  /** Plain text job token, as sent to the runner. */
  readonly token: string;
  readonly runner: { readonly id: number; readonly description: string | null; readonly tag_list: string };
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Adds predefined variables to a job, e.g. those of its environment, schedule or trigger. */
    'variables.predefined': (
      services: Services,
      db: Reader,
      job: CiJobRow,
      pipeline: PipelineRow,
    ) => Promise<readonly (Pick<JobVariable, 'key' | 'value'> & Partial<JobVariable>)[]>;
    /** Adds tokens the job authenticates to other services with. Their audience may reference other job variables. */
    'variables.tokens': (
      services: Services,
      db: Reader,
      job: CiJobRow,
      pipeline: PipelineRow,
      variable: (name: string) => string | undefined,
    ) => Promise<readonly JobVariable[]>;
    /**
     * Adds variables from the `dotenv` reports of earlier jobs. Which reports apply may depend on other job variables.
     */
    'variables.dotenv': (
      services: Services,
      db: Reader,
      job: CiJobRow,
      variable: (name: string) => string | undefined,
    ) => Promise<readonly Pick<JobVariable, 'key' | 'value'>[]>;
  }
}

/**
 * Returns all variables of a job as sent to the runner in `variables`: one entry per key, with references expanded.
 * Precedence, lowest to highest: predefined; configuration file; dotenv reports; instance, group and project settings
 * (by environment scope; protected ones only on protected refs); pipeline variables; variables set when the job was
 * played. Without `run`, variables that need a runner are left out, e.g. for bridges.
 */
export async function variablesOfJob(
  services: Services,
  db: Reader,
  job: CiJobRow,
  run?: JobRun,
): Promise<JobVariable[]> {
  const found = await lookUpProject(db, `${job.project_id}`);
  const [pipeline] = await pipelinesById(db, [job.pipeline_id]);
  if (!found || !pipeline) throw new Error(`job ${job.id} has no project or no pipeline`);
  const subject = await projectSubject(db, anonymous, found.project);
  const user = await findUser(db, job.user_id);
  const settings = await settingVariables(services, db, found.project, job.protected === 1);
  const predefined = services
    .contributions('variables.predefined')
    .map((contribute) => contribute(services, db, job, pipeline));
  const lowerLayers: readonly (readonly JobVariable[])[] = [
    await ofPipeline(services, db, subject, pipeline),
    ofJob(services, subject, job, user),
    run ? ofRun(services, subject, job, run) : [],
    run ? await ofDeployToken(services, subject) : [],
    (await Promise.all(predefined)).flat().map((one) => ({ ...plain, ...one })),
    plannedVariables(job),
  ];
  const upperLayers: readonly (readonly JobVariable[])[] = [
    settings(plannedJob(job).environment?.name ?? null),
    (await pipelineVariables(db, services.encryption, pipeline.id)).map(({ key, value, variableType, raw }) => ({
      ...{ key, value, public: false, masked: false, raw },
      file: variableType === 'file',
    })),
    playedJobVariables(services, job).map((override) => ({ ...plain, public: false, ...override })),
  ];
  const reported = await reportedVariables(services, db, job, lookUp([...lowerLayers, ...upperLayers]));
  const merged = expanded([...lowerLayers, reported, ...upperLayers].flat());
  const values = new Map(merged.map(({ key, value }) => [key, value]));
  const tokens = services
    .contributions('variables.tokens')
    .map((contribute) => contribute(services, db, job, pipeline, (name) => values.get(name)));
  const tokenVariables = (await Promise.all(tokens)).flat();
  return [...merged.filter(({ key }) => !tokenVariables.some((token) => token.key === key)), ...tokenVariables];
}

/** Looks up variables of the given layers by name. The layers are merged on first use. */
function lookUp(layers: readonly (readonly JobVariable[])[]): (name: string) => string | undefined {
  let values: ReadonlyMap<string, string> | undefined;
  return (name) => {
    values ??= new Map(expanded(layers.flat()).map(({ key, value }) => [key, value]));
    return values.get(name);
  };
}

async function reportedVariables(
  services: Services,
  db: Reader,
  job: CiJobRow,
  variable: (name: string) => string | undefined,
): Promise<JobVariable[]> {
  const reports = services
    .contributions('variables.dotenv')
    .map((contribute) => contribute(services, db, job, variable));
  return (await Promise.all(reports)).flat().map((one) => ({ ...plain, public: false, ...one }));
}

/** Keeps the last entry of each key, then expands references. */
function expanded(all: readonly JobVariable[]): JobVariable[] {
  const byKey = new Map(all.map((one) => [one.key, one]));
  const values = expandAll([...byKey.values()]);
  return [...byKey.values()].map((one) => ({ ...one, value: values.get(one.key) ?? one.value }));
}

function plannedVariables(job: CiJobRow): JobVariable[] {
  const planned: readonly PlannedVariable[] = plannedJob(job).variables;
  return planned.map(({ key, value, raw }) => ({ ...plain, key, value, raw }));
}

function listed(values: Readonly<Record<string, string | null | undefined>>): JobVariable[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'string' ? [{ ...plain, key, value }] : [],
  );
}

function kindOf({ tag, merge_request_id }: PipelineRow): 'branch' | 'tag' | 'merge_request' {
  if (tag === 1) return 'tag';
  return merge_request_id === null ? 'branch' : 'merge_request';
}

async function ofPipeline(
  services: Services,
  db: Reader,
  subject: ProjectSubject,
  pipeline: PipelineRow,
): Promise<JobVariable[]> {
  const commit = await services.git.objects(repositoryOf(services, subject)).commit(pipeline.sha);
  if (!commit) throw new Error(`pipeline ${pipeline.id} refers to missing commit ${pipeline.sha}`);
  const run = {
    ref: pipeline.ref,
    kind: kindOf(pipeline),
    commit,
    beforeSha: pipeline.before_sha || '0'.repeat(40),
    source: pipeline.source,
    protected: pipeline.protected === 1,
    configPath: configPathOf(subject.project),
  };
  const [upstream] = pipeline.parent_id === null ? [] : await pipelinesById(db, [pipeline.parent_id]);
  return listed({
    ...predefinedVariables(services, subject, run),
    ...(await refVariables(services, db, subject, run)),
    CI_PIPELINE_ID: `${pipeline.id}`,
    CI_PIPELINE_IID: `${pipeline.iid}`,
    CI_PIPELINE_URL: `${projectUrl(services, subject)}/-/pipelines/${pipeline.id}`,
    CI_PIPELINE_CREATED_AT: instant(pipeline.created_at),
    CI_PIPELINE_NAME: pipeline.name ?? '',
    CI_PIPELINE_TRIGGERED: pipeline.trigger_id === null ? null : 'true',
    CI_UPSTREAM_PIPELINE_ID: pipeline.parent_id === null ? null : `${pipeline.parent_id}`,
    CI_UPSTREAM_PROJECT_ID: upstream && `${upstream.project_id}`,
    CI_UPSTREAM_JOB_ID: pipeline.parent_job_id === null ? null : `${pipeline.parent_job_id}`,
    ...(await mergeRequestVariables(services, db, pipeline)),
  });
}

function ofJob(services: Services, subject: ProjectSubject, job: CiJobRow, user: User | undefined): JobVariable[] {
  const planned = plannedJob(job);
  return listed({
    CI_JOB_ID: `${job.id}`,
    CI_JOB_URL: `${projectUrl(services, subject)}/-/jobs/${job.id}`,
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slug(job.name),
    CI_JOB_GROUP_NAME: planned.groupName,
    CI_JOB_STAGE: job.stage,
    CI_JOB_STARTED_AT: instant(job.started_at ?? Date.now()),
    CI_JOB_MANUAL: job.starts === 'manual' || job.starts === 'delayed' ? 'true' : null,
    CI_NODE_INDEX: planned.parallel && `${planned.parallel.index}`,
    CI_NODE_TOTAL: `${planned.parallel?.total ?? 1}`,
    CI_ENVIRONMENT_NAME: planned.environment?.name,
    CI_ENVIRONMENT_ACTION: planned.environment?.action,
    CI_ENVIRONMENT_TIER: planned.environment?.deploymentTier,
    CI_ENVIRONMENT_URL: planned.environment?.url,
    ...(user && userVariables(user)),
  });
}

async function ofDeployToken(services: Services, { project }: ProjectSubject): Promise<JobVariable[]> {
  const found = await deployTokenForJobs(services, project);
  if (!found) return [];
  return [
    { ...plain, key: 'CI_DEPLOY_USER', value: found.username },
    { ...plain, public: false, masked: true, key: 'CI_DEPLOY_PASSWORD', value: found.token },
  ];
}

/** Credentials for the container registry and the dependency proxy. */
function ofRegistry(services: Services, token: string): JobVariable[] {
  const signIn = (service: string): JobVariable[] => [
    { ...plain, key: `${service}_USER`, value: 'gitlab-ci-token' },
    { ...plain, public: false, masked: true, key: `${service}_PASSWORD`, value: token },
  ];
  return [
    ...(registryHost(services) === undefined ? [] : signIn('CI_REGISTRY')),
    ...(proxyServer(services) === undefined ? [] : signIn('CI_DEPENDENCY_PROXY')),
  ];
}

function ofRun(services: Services, subject: ProjectSubject, job: CiJobRow, { token, runner }: JobRun): JobVariable[] {
  const address = new URL(httpCloneUrl(services, `${subject.fullPath}.git`));
  address.username = 'gitlab-ci-token';
  address.password = token;
  const secret = { ...plain, public: false, masked: true };
  return [
    { ...secret, key: 'CI_JOB_TOKEN', value: token },
    { ...secret, masked: false, key: 'CI_REPOSITORY_URL', value: address.href },
    ...ofRegistry(services, token),
    ...listed({
      CI_RUNNER_ID: `${runner.id}`,
      CI_RUNNER_DESCRIPTION: runner.description ?? '',
      CI_RUNNER_TAGS: runner.tag_list,
      CI_JOB_STARTED_AT_SLUG: slug(instant(job.started_at ?? Date.now())),
    }),
  ];
}
