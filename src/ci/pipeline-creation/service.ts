import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { keepAround } from '../../code/repository/public.ts';
import { Pace } from '../../platform/concurrency.ts';
import type { Writer } from '../../platform/database/database.ts';
import { datedSeconds } from '../../platform/git/objects/identity.ts';
import type { ConfigSource, Plan, PlannedJob } from '../config/public.ts';
import { countActiveJobs, insertJobs, type NewJob, scheduleProcessing } from '../jobs/public.ts';
import { insertPipeline, insertPipelineVariables, nextPipelineIid, type PipelineRow } from '../pipelines/public.ts';
import { cancelRedundant } from './auto-cancel.ts';
import { beforeOf, configurationOf, type PipelineRequest, planPipeline } from './plan.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The jobs of a new pipeline were created; none has started. */
    'pipeline.planned': { readonly pipeline: PipelineRow; readonly jobs: readonly PlannedJob[] };
  }
}

/** The created pipeline, or the reason why there is none. */
export type Creation =
  | { readonly pipeline: PipelineRow }
  | { readonly refused: string; readonly reason: 'missing' | 'invalid' | 'filtered' | 'throttled' };

export interface CreationOptions {
  /** Save a failed pipeline when the configuration is invalid. */
  readonly saveInvalid?: boolean;
  /** Create a skipped pipeline, as requested by the commit or the push. */
  readonly skip?: boolean;
  /** Called in the transaction that creates the pipeline. */
  readonly also?: (trx: Writer, pipeline: PipelineRow) => Promise<void>;
}

/** Limited because each variable is encrypted and passed to every job. */
const maxVariables = 1000;

/** Creates a pipeline from the configuration of the commit. */
export async function createPipeline(
  services: Services,
  request: PipelineRequest,
  { saveInvalid = false, skip = false, also }: CreationOptions = {},
): Promise<Creation> {
  if (request.variables.length > maxVariables) {
    return { refused: `Variables total must be less than or equal to ${maxVariables}`, reason: 'invalid' };
  }
  const source = request.config ?? (await configurationOf(services, request.subject, request.commit));
  if (!source) return { refused: 'Missing CI config file', reason: 'missing' };
  if (await rateLimited(services, request)) {
    return { refused: 'Too many pipelines created in the last minute. Try again later.', reason: 'throttled' };
  }
  if (skip) return { pipeline: await save(services, request, { status: 'skipped' }, undefined, also) };
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      return await planAndSave(services, source, request, saveInvalid, also);
    } catch (error) {
      if (!(error instanceof IidTaken)) throw error;
    }
  }
  return { refused: 'Too many pipelines are created at once. Try again later.', reason: 'throttled' };
}

/** A retry means that another pipeline of the project was created first; this many in a row are not expected. */
const maxAttempts = 50;

/** Another pipeline took the IID that this one was planned with. */
class IidTaken extends Error {}

/**
 * Plans a pipeline with the next IID, because rules may use `CI_PIPELINE_IID`, and verifies the IID on insertion.
 * Reserving the IID beforehand would lose it with every pipeline that the rules filter out; locking it would block all
 * other pipelines of the project until this configuration and its includes are read.
 */
async function planAndSave(
  services: Services,
  source: ConfigSource,
  request: PipelineRequest,
  saveInvalid: boolean,
  also: CreationOptions['also'],
): Promise<Creation> {
  const nextIid = await nextPipelineIid(services.db.read, request.subject.project.id);
  const usedIid: { number?: number } = {};
  const number = () => {
    usedIid.number = nextIid;
    return nextIid;
  };
  const compiled = await planPipeline(services, source, request, { number });
  if (compiled.outcome === 'filtered') return { refused: compiled.message, reason: 'filtered' };
  if (compiled.outcome === 'invalid') {
    const text = compiled.errors[0]?.message ?? 'Invalid configuration format';
    if (!saveInvalid) return { refused: text, reason: 'invalid' };
    const failed = { status: 'failed', failure_reason: 'config_error', yaml_errors: text };
    return { pipeline: await save(services, request, failed, undefined, also) };
  }
  const refusal = await limitViolation(services, request.subject, compiled.plan);
  if (refusal) {
    if (!saveInvalid) return { refused: refusal.text, reason: 'invalid' };
    const failed = { status: 'failed', failure_reason: refusal.reason, yaml_errors: refusal.text };
    return { pipeline: await save(services, request, failed, undefined, also) };
  }
  return { pipeline: await save(services, request, { status: 'created' }, { ...compiled.plan, ...usedIid }, also) };
}

/** Checks the limits on jobs per pipeline and active jobs per project. */
async function limitViolation({ db }: Services, { project }: ProjectSubject, { jobs }: Plan) {
  const { ci_pipeline_size: size, ci_active_jobs: active } = await planLimits(db.read);
  if (size > 0 && jobs.length > size) {
    const text = `Pipeline has too many jobs! Requested ${jobs.length}, but the limit is ${size}.`;
    return { reason: 'size_limit_exceeded', text };
  }
  const present = active > 0 ? jobs.length + (await countActiveJobs(db.read, project.id)) : 0;
  if (present <= active) return undefined;
  const text = `Project has too many active jobs! There are ${present}, but the limit is ${active}.`;
  return { reason: 'job_activity_limit_exceeded', text };
}

/** Whether the actor exceeds the rate limit of pipelines per commit; trigger jobs have a separate limit. */
async function rateLimited({ limits, settings }: Services, { actor, subject, commit, parent }: PipelineRequest) {
  const { pipeline_limit_per_project_user_sha: count } = await settings.read();
  if (count === 0 || parent) return false;
  const key = `${subject.project.id} ${actor.user?.id} ${commit.oid}`;
  return (await limits.count('pipelines_create', key, { count, period: 60_000 })).exceeded;
}

async function save(
  services: Services,
  request: PipelineRequest,
  state: Pick<PipelineRow, 'status'> & Partial<Pick<PipelineRow, 'failure_reason' | 'yaml_errors'>>,
  plan: (Plan & { readonly number?: number }) | undefined,
  also: CreationOptions['also'],
): Promise<PipelineRow> {
  const { subject, commit, actor } = request;
  await keepAround(services, subject, commit.oid);
  const jobs = plan && (await jobRows(plan));
  return services.db.write(async (trx) => {
    const pipeline = await insertPipeline(trx, {
      project_id: subject.project.id,
      sha: commit.oid,
      ref: request.ref,
      tag: request.kind === 'tag' ? 1 : 0,
      before_sha: beforeOf(request),
      merge_request_id: request.mergeRequest?.id ?? null,
      source_branch: request.mergeRequest?.sourceBranch ?? null,
      source_sha: request.mergeRequest?.merges?.source ?? null,
      target_sha: request.mergeRequest?.merges?.target ?? null,
      source: request.source,
      protected: request.protected ? 1 : 0,
      user_id: actor.user?.id ?? null,
      schedule_id: request.scheduleId ?? null,
      trigger_id: request.triggerId ?? null,
      parent_id: request.parent?.pipelineId ?? null,
      parent_job_id: request.parent?.jobId ?? null,
      committed_at: datedSeconds(commit.committer.seconds) * 1000,
      name: plan?.workflow.name ?? null,
      auto_cancel: plan ? JSON.stringify(plan.workflow.autoCancel) : null,
      ...state,
      finished_at: state.status === 'created' ? null : Date.now(),
    });
    if (plan?.number !== undefined && plan.number !== pipeline.iid) throw new IidTaken();
    await insertPipelineVariables(trx, services.encryption, pipeline.id, request.variables);
    if (plan && jobs) await createJobs(services, trx, subject, pipeline, plan, jobs);
    await services.announce(trx, 'pipeline.changed', { pipeline, before: 'created' });
    await also?.(trx, pipeline);
    return pipeline;
  });
}

async function createJobs(
  services: Services,
  trx: Writer,
  subject: ProjectSubject,
  pipeline: PipelineRow,
  plan: Plan,
  jobs: readonly JobRow[],
): Promise<void> {
  await insertJobs(
    trx,
    jobs.map((job) => ({ ...job, ...pipelineColumns(pipeline) })),
  );
  await services.announce(trx, 'pipeline.planned', { pipeline, jobs: plan.jobs });
  await scheduleProcessing(services, trx, pipeline.id);
  const child = pipeline.source === 'parent_pipeline';
  if (child || settingsOf(subject.project).auto_cancel_pending_pipelines === 'disabled') return;
  await cancelRedundant(services, trx, pipeline);
}

function pipelineColumns(pipeline: PipelineRow) {
  return {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    ref: pipeline.ref,
    sha: pipeline.sha,
    tag: pipeline.tag,
    protected: pipeline.protected,
    user_id: pipeline.user_id,
    created_at: pipeline.created_at,
    updated_at: pipeline.created_at,
  };
}

type JobRow = Omit<NewJob, keyof ReturnType<typeof pipelineColumns>>;

/** Builds the part of the job rows that does not depend on the pipeline, outside the transaction to keep it short. */
async function jobRows({ jobs }: Plan): Promise<JobRow[]> {
  const pace = new Pace();
  const rows: JobRow[] = [];
  for (const job of jobs) {
    await pace.turn();
    rows.push({
      kind: job.kind,
      name: job.name,
      stage: job.stage,
      stage_index: job.stageIndex,
      status: 'created',
      starts: job.when,
      allow_failure: job.allowFailure ? 1 : 0,
      options: JSON.stringify(job),
      tag_list: JSON.stringify(job.tags),
      needs: job.needs === null ? null : JSON.stringify(job.needs.map(({ name }) => name)),
      timeout: job.timeout,
    });
  }
  return rows;
}
