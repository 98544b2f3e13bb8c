import { createHash } from 'node:crypto';
import { anonymous } from '../../access/actor.ts';
import { rootNamespaceId } from '../../access/namespaces/hierarchy.ts';
import { proxyServer, registryHost } from '../../access/registry-address.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../access/subjects.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import { httpCloneUrl } from '../../namespaces/projects/public.ts';
import { failureReasons, type PlannedJob } from '../config/public.ts';
import { jobInputValues, plannedJob } from '../jobs/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import type { Assignment } from './assign.ts';
import { artifactsOf, cachesOf, imageOf, serviceOf, stepsOf } from './instructions.ts';
import type { JobPayloadEntity } from './schema.ts';
import { secretsOf } from './secrets.ts';
import { runningOnInstance } from './store.ts';

interface PayloadContext extends Assignment {
  readonly subject: ProjectSubject;
}

const noSha = '0'.repeat(40);
const defaultDepth = 20;
/** The count of running jobs is capped at this number. */
const maxCounted = 100;

/** Builds the response to a job request. */
export async function payloadOf(services: Services, assignment: Assignment): Promise<JobPayloadEntity> {
  const { job, runner, token, inheritance } = assignment;
  const subject = await projectSubject(services.db.read, anonymous, assignment.project);
  const context = { ...assignment, subject };
  const planned = plannedJob(job);
  const settings = settingsOf(subject.project);
  const timeout = job.timeout ?? 3600;
  const variables = await variablesOfJob(services, services.db.read, job, { token, runner });
  return {
    id: job.id,
    token,
    allow_git_fetch: settings.build_git_strategy !== 'clone',
    job_info: await jobInfo(services, context),
    git_info: await gitInfo(services, context, variables.find(({ key }) => key === 'GIT_DEPTH')?.value),
    runner_info: { timeout, runner_session_url: null },
    inputs: inputsOf(services, job, planned),
    variables,
    // Jobs with `run` have no scripts, and the runner expects their steps as JSON text.
    ...(planned.run ? { run: JSON.stringify(planned.run) } : { steps: stepsOf(planned, timeout, assignment.platform) }),
    hooks:
      planned.hooks.preGetSourcesScript.length === 0
        ? []
        : [{ name: 'pre_get_sources_script', script: [...planned.hooks.preGetSourcesScript] }],
    image: planned.image && imageOf(planned.image),
    services: planned.services.map(serviceOf),
    artifacts: artifactsOf(planned.artifacts),
    cache: cachesOf(planned.cache, {
      separated: settings.ci_separated_caches !== false,
      protected: job.protected === 1,
    }),
    credentials: credentialsOf(services, token),
    features: { trace_sections: true, failure_reasons: [...failureReasons], token_mask_prefixes: ['glcbt-'] },
    // The job's own token gives access to these artifacts.
    dependencies: inheritance.producers.map(({ job: producer, archive }) => ({
      id: producer.id,
      name: producer.name,
      token,
      ...(archive && { artifacts_file: { filename: archive.filename, size: archive.size } }),
    })),
    ...(Object.keys(planned.secrets).length > 0 && { secrets: secretsOf(planned.secrets, variables) }),
  };
}

function inputsOf(services: Services, job: Assignment['job'], { inputs = [] }: PlannedJob) {
  const values = jobInputValues(services, job);
  return inputs.map(({ name, type }) => ({ key: name, value: { content: values.get(name), type } }));
}

/** Credentials to pull images from the registry and the dependency proxy. */
function credentialsOf(services: Services, token: string) {
  const hosts = [registryHost(services), proxyServer(services)].filter((host) => host !== undefined);
  return [...new Set(hosts)].map((url) => ({ type: 'registry', url, username: 'gitlab-ci-token', password: token }));
}

async function jobInfo({ db, externalUrl }: Services, { job, subject, runner, pipeline, queue }: PayloadContext) {
  const { project, namespace } = subject;
  const runningJobs = runner.runner_type === 'instance_type' ? await runningOnInstance(db.read, project.id) : undefined;
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    pipeline_id: pipeline.id,
    project_id: project.id,
    project_name: project.path,
    project_full_path: subject.fullPath,
    namespace_id: namespace.id,
    root_namespace_id: namespace.parent_id === null ? namespace.id : await rootNamespaceId(db.read, namespace.id),
    organization_id: 1,
    ...instanceOf(externalUrl),
    user_id: job.user_id,
    scoped_user_id: null,
    time_in_queue_seconds: Math.max(0, Math.floor(((job.started_at ?? 0) - (job.queued_at ?? 0)) / 1000)),
    // Exclude the job being assigned.
    project_jobs_running_on_instance_runners_count:
      runningJobs === undefined
        ? '+Inf'
        : runningJobs > maxCounted
          ? `${maxCounted}+`
          : `${Math.max(0, runningJobs - 1)}`,
    queue_size: queue.size,
    queue_depth: queue.depth,
  };
}

/** Instance ID, derived from the external URL, the most stable property of an instance. */
function instanceOf(externalUrl: string) {
  const hex = createHash('sha256').update(externalUrl).digest('hex');
  // Formatted as a version 8 UUID, which allows custom bits.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return { instance_id: hex, instance_uuid: parts.join('-') };
}

async function gitInfo(
  services: Services,
  { job, pipeline, subject, token }: PayloadContext,
  gitDepth: string | undefined,
) {
  const { git } = services;
  const address = new URL(httpCloneUrl(services, `${subject.fullPath}.git`));
  address.username = 'gitlab-ci-token';
  address.password = token;
  const projectDepth = settingsOf(subject.project).ci_default_git_depth;
  const depth =
    gitDepth !== undefined && /^\d{1,9}$/.test(gitDepth)
      ? Number(gitDepth)
      : typeof projectDepth === 'number'
        ? projectDepth
        : defaultDepth;
  const [from, to] = job.tag === 1 ? ['refs/tags/', 'refs/tags/'] : ['refs/heads/', 'refs/remotes/origin/'];
  const full = from + job.ref;
  const refExists = (await git.objects(repositoryOf(services, subject)).commitId(full)) !== null;
  return {
    repo_url: address.href,
    repo_object_format: pipeline.sha.length === 64 ? 'sha256' : 'sha1',
    ref: job.ref,
    sha: job.sha,
    before_sha: pipeline.before_sha || noSha,
    ref_type: job.tag === 1 ? 'tag' : 'branch',
    refspecs: [
      // Fetched by commit ID: the branch may have advanced beyond the depth or be deleted.
      `+${job.sha}:refs/pipelines/${pipeline.id}`,
      ...(depth === 0
        ? ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
        : refExists
          ? [`+${full}:${to}${job.ref}`]
          : []),
    ],
    depth,
    protected: job.protected === 1,
  };
}
