import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { featureLevel, lookUpProject, projectSubject, settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { storedRecord, storedStrings } from '../../platform/stored-json.ts';
import { isOutdatedDeployment } from '../environments/public.ts';
import { type CiJobRow, jobById, lockJob, plannedJob, transitionJob } from '../jobs/public.ts';
import { hasMinutesLeft } from '../minutes/public.ts';
import { type PipelineRow, pipelinesById } from '../pipelines/public.ts';
import { jobsAvailableSignal, type RunnerManagerRow, type RunnerRow } from '../runners/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { candidatesFor } from './candidates.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import { type Demands, matchesTags, missingFeatures } from './matching.ts';
import { providersConfigured } from './secrets.ts';
import { removePending, waitingTagSets, withholdFromInstance } from './store.ts';
import { queueEmpty, runnerWaitlist } from './waiting.ts';

/** Timeout in seconds when neither the job nor its project sets one. */
const defaultTimeout = 3600;

/** A job assigned to a runner, with the data of its payload. */
export interface Assignment {
  readonly job: CiJobRow;
  readonly runner: RunnerRow;
  /** The operating system of the runner. */
  readonly platform: string | null;
  /** The job token in plain text; only its digest is stored. */
  readonly token: string;
  readonly inheritance: Inheritance;
  readonly pipeline: PipelineRow;
  readonly project: Project;
  /** Number of candidates found for the runner, and the position of this job among them. */
  readonly queue: { readonly size: number; readonly depth: number };
}

/** The requesting runner and its manager. */
export interface JobRequester {
  readonly runner: RunnerRow;
  readonly manager: RunnerManagerRow;
  /** Aborted when the runner disconnects. */
  readonly signal: AbortSignal;
}

/** Assigns the next matching job to a runner. Jobs that cannot run are failed, and the next candidate is tried. */
export async function assignNext(
  services: Services,
  requester: JobRequester,
): Promise<Assignment | typeof queueEmpty | undefined> {
  const { read } = services.db;
  const { runner } = requester;
  const tagged = { tags: storedStrings(runner.tag_list), runUntagged: runner.run_untagged === 1 };
  const tagSets = await waitingTagSets(read);
  if (tagSets.length === 0) return queueEmpty;
  const matchingSets = tagSets.filter((set) => matchesTags(tagged, storedStrings(set)));
  const { assigning } = runnerWaitlist(services);
  let depth = 0;
  for await (const { id, found } of candidatesFor(read, runner, { tagSets, matchingSets })) {
    depth += 1;
    if (assigning.has(id)) continue;
    assigning.add(id);
    let assigned: Assignment | undefined;
    try {
      assigned = await assign(services, requester, { id, matchingSets, queue: { size: found, depth } });
    } finally {
      assigning.delete(id);
      // Other requests may have skipped the job in the meantime.
      if (!assigned) services.signals.notify(jobsAvailableSignal);
    }
    if (assigned) return assigned;
  }
  return undefined;
}

async function assign(
  services: Services,
  requester: JobRequester,
  {
    id,
    matchingSets,
    queue,
  }: { readonly id: number; readonly matchingSets: readonly string[]; readonly queue: Assignment['queue'] },
): Promise<Assignment | undefined> {
  const { db } = services;
  const job = await jobById(db.read, id);
  if (job?.status !== 'pending') {
    await db.write((trx) => removePending(trx, id));
    return undefined;
  }
  // The job was queued after the tags were read and has other tags.
  if (!matchingSets.includes(job.tag_list)) return undefined;
  const facts = await factsOf(services, requester, job);
  const token = `glcbt-${randomToken(32)}`;
  return db.write(async (trx) => {
    // The first to lock the job gets it; others then see that it is no longer pending.
    const locked = await lockJob(trx, id);
    if (locked?.status !== 'pending') return undefined;
    if (facts.refusal === 'ci_quota_exceeded') {
      await withholdFromInstance(trx, id);
      await services.queue.enqueue(trx, 'ci.minutes-over', { id });
      return undefined;
    }
    if (facts.refusal !== undefined) {
      await transitionJob(services, trx, id, 'drop', { failureReason: facts.refusal });
      return undefined;
    }
    if (requester.signal.aborted) return undefined;
    const running = await transitionJob(services, trx, id, 'run', {
      change: {
        runner_id: requester.runner.id,
        runner_manager_id: requester.manager.id,
        token_digest: digest(token),
        timeout: facts.timeout,
      },
    });
    const { inheritance, pipeline, project } = facts;
    const { runner, manager } = requester;
    return (
      running && { job: running, runner, platform: manager.platform, token, inheritance, pipeline, project, queue }
    );
  });
}

/** Determines whether a job can run, its timeout and the artifacts it inherits. */
async function factsOf(services: Services, { runner, manager }: JobRequester, job: CiJobRow) {
  const { db, externalUrl } = services;
  const [found, user, [pipeline]] = await Promise.all([
    lookUpProject(db.read, `${job.project_id}`),
    findUser(db.read, job.user_id),
    pipelinesById(db.read, [job.pipeline_id]),
  ]);
  const inheritance = await inheritanceOf(services, job, pipeline?.locked === 1);
  const project = found?.project;
  const own = project && settingsOf(project).build_timeout;
  const timeout = plannedJob(job).timeout ?? (typeof own === 'number' ? own : defaultTimeout);
  const facts = { inheritance, timeout: Math.min(timeout, runner.maximum_timeout ?? timeout) };
  const refuse = (refusal: string) => ({ ...facts, refusal });
  if (inheritance.missing) return refuse('missing_dependency_failure');
  if (missingFeatures(demandsOf(job), storedRecord(manager.features)).length > 0) {
    return refuse('runner_unsupported');
  }
  if (await lacksSecretsProvider(services, job)) return refuse('secrets_provider_not_found');
  if (!project || !pipeline || project.marked_for_deletion_at !== null) return refuse('project_deleted');
  if (featureLevel(project, 'builds') === 0) return refuse('builds_disabled');
  if (!user || accountRefusal(user, externalUrl) !== undefined) return refuse('user_blocked');
  if (runner.runner_type === 'instance_type' && !(await hasMinutesLeft(services, project))) {
    return refuse('ci_quota_exceeded');
  }
  if (await isOutdatedDeployment(db.read, project, job)) return refuse('failed_outdated_deployment_job');
  const subject = await projectSubject(db.read, actorOnBehalfOf(user), project);
  return subject.archived ? refuse('archived_failure') : { ...facts, pipeline, project, refusal: undefined };
}

async function lacksSecretsProvider(services: Services, job: CiJobRow): Promise<boolean> {
  const { secrets } = plannedJob(job);
  if (Object.keys(secrets).length === 0) return false;
  return !providersConfigured(secrets, await variablesOfJob(services, services.db.read, job));
}

function demandsOf(job: CiJobRow): Demands {
  const { artifacts, cache, release, retry, secrets, allowFailureExitCodes, inputs = [], run } = plannedJob(job);
  return {
    reports: Object.keys(artifacts?.reports ?? {}).length > 0,
    mergeRequest: job.ref.startsWith('refs/merge-requests/'),
    exclude: (artifacts?.exclude.length ?? 0) > 0,
    release: release !== null,
    exitCodes: allowFailureExitCodes.length > 0 || retry.exitCodes.length > 0,
    fallbackKeys: cache.some(({ fallbackKeys }) => fallbackKeys.length > 0),
    secrets: Object.keys(secrets).length > 0,
    inputs: inputs.length > 0,
    run: run !== undefined,
  };
}
