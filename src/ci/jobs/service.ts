import type { SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { givenJobInputs } from '../config/public.ts';
import { maySetVariables, refRights } from '../pipeline-creation/public.ts';
import { lockPipeline } from '../pipelines/public.ts';
import { blocked, completed, isRetryable } from '../states/public.ts';
import { cancelJob, resetSkippedDependents } from './bulk.ts';
import {
  type GivenJobVariable,
  isArchivedJob,
  jobInputValues,
  plannedJob,
  statusOf,
  withInputs,
  withVariables,
} from './job-row.ts';
import { presentBridges, presentJobs } from './present.ts';
import { processPipeline, startJob } from './processing.ts';
import type { BridgeEntity, JobEntity, JobInputEntity } from './schema.ts';
import * as store from './store.ts';
import type { CiJobRow } from './tables.ts';
import { clearanceOf, createRetry, moveJob } from './transition.ts';

/** Finds a job of a project. Bridges are only included on request. */
export async function requireJob(
  { db }: Services,
  subject: ProjectSubject,
  id: number,
  bridges = false,
): Promise<CiJobRow> {
  const job = await store.jobOfProject(db.read, subject.project.id, id);
  if (!job || (job.kind === 'bridge' && !bridges)) throw NotFound.record();
  return job;
}

export async function getJob(services: Services, subject: ProjectSubject, id: number): Promise<JobEntity> {
  const [entity] = await presentJobs(services, subject, [await requireJob(services, subject, id)]);
  if (!entity) throw NotFound.record();
  return entity;
}

/** The inputs of a job with their current values. */
export async function listInputs(services: Services, subject: ProjectSubject, id: number): Promise<JobInputEntity[]> {
  const job = await requireJob(services, subject, id, true);
  const values = jobInputValues(services, job);
  return (plannedJob(job).inputs ?? []).map(({ options, ...input }) => ({
    ...input,
    options: options && [...options],
    value: values.get(input.name),
  }));
}

async function presentOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  job: CiJobRow,
): Promise<JobEntity | BridgeEntity> {
  const [entity] =
    job.kind === 'bridge'
      ? await presentBridges(services, caller, subject, [job])
      : await presentJobs(services, subject, [job]);
  if (!entity) throw NotFound.record();
  return entity;
}

async function requirePermission(services: Services, caller: SignedInActor, subject: ProjectSubject, job: CiJobRow) {
  const rights = await refRights(services, caller, subject, job.tag === 1 ? 'tag' : 'branch', job.ref);
  if (!rights.mayRun) throw new Forbidden();
  if ((await clearanceOf(services, services.db.read, job, caller.user.id)) === 'refused') throw new Forbidden();
}

/** Changes a job while its pipeline is locked, and returns the resulting job. */
async function changeJob(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  job: CiJobRow,
  change: (trx: Writer, locked: CiJobRow) => Promise<CiJobRow | undefined>,
): Promise<JobEntity | BridgeEntity> {
  const id = await services.db.write(async (trx) => {
    await lockPipeline(trx, job.pipeline_id);
    const locked = await store.lockJob(trx, job.id);
    if (!locked) throw NotFound.record();
    const changed = await change(trx, locked);
    await processPipeline(services, trx, job.pipeline_id);
    return changed?.id ?? job.id;
  });
  return presentOne(services, caller, subject, await requireJob(services, subject, id, true));
}

const cancelingRoles: Readonly<Record<string, number>> = {
  maintainer: Role.maintainer,
  no_one: Number.POSITIVE_INFINITY,
};

/** Cancels a job; a completed one is left unchanged. */
export async function cancelOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  force: boolean,
): Promise<JobEntity | BridgeEntity> {
  const job = await requireJob(services, subject, id, true);
  await requirePermission(services, caller, subject, job);
  const minRole = cancelingRoles[String(settingsOf(subject.project).ci_restrict_pipeline_cancellation_role)];
  if (minRole !== undefined && subject.standing.level < minRole) throw new Forbidden();
  if (force && !subject.can('admin_pipeline')) throw new Forbidden();
  return changeJob(services, caller, subject, job, (trx, locked) =>
    force && locked.status === 'canceling'
      ? moveJob(services, trx, locked.id, 'force_cancel')
      : cancelJob(services, trx, locked),
  );
}

/** Retries a job and returns the new attempt. */
export async function retryOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  inputs: unknown,
): Promise<JobEntity | BridgeEntity> {
  const job = await requireJob(services, subject, id, true);
  await requirePermission(services, caller, subject, job);
  const given = readJobInputs(job, inputs);
  return changeJob(services, caller, subject, job, (trx, locked) => retryJob(services, trx, caller, locked, given));
}

/** Validates the values given for the inputs of a job. */
function readJobInputs(job: CiJobRow, sent: unknown): Readonly<Record<string, unknown>> {
  if (sent === undefined || sent === null) return {};
  if (typeof sent !== 'object' || Array.isArray(sent)) throw new ParameterError('inputs is invalid');
  const read = givenJobInputs(plannedJob(job).inputs ?? [], { ...sent });
  if ('error' in read) throw new BadRequest(read.error);
  return read.values;
}

async function retryJob(
  services: Services,
  trx: Writer,
  { user }: SignedInActor,
  job: CiJobRow,
  inputs: Readonly<Record<string, unknown>>,
): Promise<CiJobRow> {
  const retryable = isRetryable({
    status: statusOf(job),
    retried: job.retried === 1,
    archived: isArchivedJob(services, job),
    failureReason: job.failure_reason,
    bridge: job.kind === 'bridge',
  });
  if (!retryable) throw new Forbidden('Job is not retryable');
  const attempt = await createRetry(
    services,
    trx,
    { ...job, inputs: withInputs(services, job, inputs) },
    user.id,
    true,
  );
  await resetSkippedDependents(services, trx, await store.currentJobs(trx, job.pipeline_id), [attempt], user.id);
  return attempt;
}

/** Values given when a job is run by hand. */
export interface GivenValues {
  readonly variables: readonly GivenJobVariable[];
  readonly inputs: unknown;
}

/** Starts a manual or delayed job, or reruns a completed one. */
export async function playOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  { variables, inputs }: GivenValues,
): Promise<JobEntity | BridgeEntity> {
  const job = await requireJob(services, subject, id, true);
  await requirePermission(services, caller, subject, job);
  if (isArchivedJob(services, job)) throw new Forbidden();
  if (variables.length > 0 && !maySetVariables(subject)) throw new Forbidden();
  if (variables.some(({ key }) => !/^[A-Za-z0-9_]{1,255}$/.test(key))) {
    throw new BadRequest("Job variables key can contain only letters, digits and '_'.");
  }
  const given = readJobInputs(job, inputs);
  return changeJob(services, caller, subject, job, async (trx, locked) => {
    const offered = locked.starts === 'manual' || locked.starts === 'delayed';
    if (offered && locked.status !== 'skipped' && completed.has(statusOf(locked))) {
      return retryJob(services, trx, caller, locked, given);
    }
    // A bridge with a downstream pipeline is only `manual` because it mirrors that pipeline.
    const playable = locked.downstream_pipeline_id === null && blocked.has(statusOf(locked));
    if (!playable) throw new BadRequest('Unplayable Job');
    const change = {
      user_id: caller.user.id,
      variables: withVariables(services, locked, variables),
      inputs: withInputs(services, locked, given),
    };
    const jobs = await store.currentJobs(trx, locked.pipeline_id);
    await resetSkippedDependents(services, trx, jobs, [locked], caller.user.id);
    const started = await startJob(services, trx, locked.id, change);
    if (!started) throw new BadRequest('Unplayable Job');
    return started;
  });
}

/** Erases the log and artifacts of a completed job. */
export async function eraseOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<JobEntity | BridgeEntity> {
  const job = await requireJob(services, subject, id);
  await requirePermission(services, caller, subject, job);
  const ownsJob = job.user_id === caller.user.id && job.protected === 0;
  if (!ownsJob && !subject.can('admin_pipeline')) throw new Forbidden();
  return changeJob(services, caller, subject, job, async (trx, locked) => {
    const hasContent = locked.trace_size > 0 || (await store.hasArtifacts(trx, locked.id));
    if (!completed.has(statusOf(locked)) || !hasContent || locked.erased_at !== null) {
      throw new Forbidden('Job is not erasable!');
    }
    await services.announce(trx, 'job.erased', { job: locked });
    const now = Date.now();
    const change = { erased_at: now, erased_by_id: caller.user.id, artifacts_expire_at: null, trace_size: 0 };
    return store.updateJob(trx, locked.id, { ...change, updated_at: now });
  });
}
