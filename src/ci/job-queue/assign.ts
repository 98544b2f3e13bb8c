import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
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
import { jobsWanted, type RunnerManagerRow, type RunnerRow } from '../runners/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { candidatesFor } from './candidates.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import { type Demands, lacking, takesTags } from './matching.ts';
import { reachable } from './secrets.ts';
import { keepFromInstance, removePending, waitingTagSets } from './store.ts';
import { nothingWaits, waitingOf } from './waiting.ts';

/** Seconds, where neither the job nor its project says how long it may run. */
const defaultTimeout = 3600;

/** A job that a runner has just got, with everything that is said of it. */
export interface Assignment {
  readonly job: CiJobRow;
  readonly runner: RunnerRow;
  /** The job's token in plain: nobody can say it again. */
  readonly token: string;
  readonly inheritance: Inheritance;
  readonly pipeline: PipelineRow;
  readonly project: Project;
  /** How many jobs were found for the runner, and how many of them were looked at until this one. */
  readonly queue: { readonly size: number; readonly depth: number };
}

/** The runner, and the machine of it, that asks. */
export interface Asking {
  readonly runner: RunnerRow;
  readonly manager: RunnerManagerRow;
  /** Aborted when it no longer listens. */
  readonly signal: AbortSignal;
}

/** Gives a runner the next job that is for it. A job that cannot run ends here, and the next one is looked at. */
export async function assignNext(
  services: Services,
  asking: Asking,
): Promise<Assignment | typeof nothingWaits | undefined> {
  const { read } = services.db;
  const { runner } = asking;
  const tagged = { tags: storedStrings(runner.tag_list), runUntagged: runner.run_untagged === 1 };
  const all = await waitingTagSets(read);
  if (all.length === 0) return nothingWaits;
  const met = all.filter((set) => takesTags(tagged, storedStrings(set)));
  const { givenOut } = waitingOf(services);
  let depth = 0;
  for await (const { id, found } of candidatesFor(read, runner, { all, met })) {
    depth += 1;
    if (givenOut.has(id)) continue;
    givenOut.add(id);
    let assigned: Assignment | undefined;
    try {
      assigned = await assign(services, asking, { id, met, queue: { size: found, depth } });
    } finally {
      givenOut.delete(id);
      // Others may have passed it over in the meantime.
      if (!assigned) services.signals.notify(jobsWanted);
    }
    if (assigned) return assigned;
  }
  return undefined;
}

async function assign(
  services: Services,
  asking: Asking,
  { id, met, queue }: { readonly id: number; readonly met: readonly string[]; readonly queue: Assignment['queue'] },
): Promise<Assignment | undefined> {
  const { db } = services;
  const job = await jobById(db.read, id);
  if (job?.status !== 'pending') {
    await db.write((trx) => removePending(trx, id));
    return undefined;
  }
  // It came after the look at what waits, and asks for something else.
  if (!met.includes(job.tag_list)) return undefined;
  const facts = await factsOf(services, asking, job);
  const token = `glcbt-${randomToken(32)}`;
  return db.write(async (trx) => {
    // Whoever locks it first has it: the others see that it is no longer pending.
    const locked = await lockJob(trx, id);
    if (locked?.status !== 'pending') return undefined;
    if (facts.refusal === 'ci_quota_exceeded') {
      await keepFromInstance(trx, id);
      await services.queue.enqueue(trx, 'ci.minutes-over', { id });
      return undefined;
    }
    if (facts.refusal !== undefined) {
      await transitionJob(services, trx, id, 'drop', { failureReason: facts.refusal });
      return undefined;
    }
    if (asking.signal.aborted) return undefined;
    const running = await transitionJob(services, trx, id, 'run', {
      change: {
        runner_id: asking.runner.id,
        runner_manager_id: asking.manager.id,
        token_digest: digest(token),
        timeout: facts.timeout,
      },
    });
    const { inheritance, pipeline, project } = facts;
    return running && { job: running, runner: asking.runner, token, inheritance, pipeline, project, queue };
  });
}

/** Why a job cannot run, if it cannot; how long it may; and what it takes over from others. */
async function factsOf(services: Services, { runner, manager }: Asking, job: CiJobRow) {
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
  if (lacking(demandsOf(job), storedRecord(manager.features)).length > 0) {
    return refuse('runner_unsupported');
  }
  if (await lacksProvider(services, job)) return refuse('secrets_provider_not_found');
  if (!project || !pipeline || project.marked_for_deletion_at !== null) return refuse('project_deleted');
  if (featureLevel(project, 'builds') === 0) return refuse('builds_disabled');
  if (!user || unusable(user, externalUrl) !== undefined) return refuse('user_blocked');
  if (runner.runner_type === 'instance_type' && !(await hasMinutesLeft(services, project))) {
    return refuse('ci_quota_exceeded');
  }
  if (await isOutdatedDeployment(db.read, project, job)) return refuse('failed_outdated_deployment_job');
  const subject = await projectSubject(db.read, actingFor(user), project);
  return subject.archived ? refuse('archived_failure') : { ...facts, pipeline, project, refusal: undefined };
}

async function lacksProvider(services: Services, job: CiJobRow): Promise<boolean> {
  const { secrets } = plannedJob(job);
  if (Object.keys(secrets).length === 0) return false;
  return !reachable(secrets, await variablesOfJob(services, services.db.read, job));
}

function demandsOf(job: CiJobRow): Demands {
  const { artifacts, cache, release, retry, secrets, allowFailureExitCodes } = plannedJob(job);
  return {
    reports: Object.keys(artifacts?.reports ?? {}).length > 0,
    mergeRequest: job.ref.startsWith('refs/merge-requests/'),
    exclude: (artifacts?.exclude.length ?? 0) > 0,
    release: release !== null,
    exitCodes: allowFailureExitCodes.length > 0 || retry.exitCodes.length > 0,
    fallbackKeys: cache.some(({ fallbackKeys }) => fallbackKeys.length > 0),
    secrets: Object.keys(secrets).length > 0,
  };
}
