import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { readableProject } from '../../access/subjects.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { archivesOf, isAvailable, type JobArtifactRow } from '../artifacts/public.ts';
import { expandKnown, type PlannedJob } from '../config/public.ts';
import { type CiJobRow, jobsNamed, plannedJob } from '../jobs/public.ts';
import { mayReadPipelines, pipelinesById, recentPipelines, rootPipeline } from '../pipelines/public.ts';

/** A job of another pipeline and its archive. */
export interface OutsideProducer {
  readonly job: CiJobRow;
  readonly archive: JobArtifactRow;
}

type Expand = (text: string) => string;

/** Maximum number of recent pipelines searched for a job of another project. */
const maxPipelines = 100;

/** Whether a job needs artifacts of other pipelines. */
export function needsOutside(job: CiJobRow): boolean {
  const { pipelineNeeds, projectNeeds } = plannedJob(job);
  return [...pipelineNeeds, ...projectNeeds].some(({ artifacts }) => artifacts);
}

/** Resolves the needs on other pipelines; null for jobs that do not exist or that the user cannot read. */
export async function outsideProducers(
  services: Services,
  job: CiJobRow,
  variable: (name: string) => string | undefined,
): Promise<(OutsideProducer | null)[]> {
  const expand: Expand = (text) => expandKnown(text, variable);
  const { pipelineNeeds, projectNeeds } = plannedJob(job);
  const found = await Promise.all([
    ...pipelineNeeds.flatMap((need) =>
      need.artifacts ? optionally(need, fromHierarchy(services, job, need, expand)) : [],
    ),
    ...projectNeeds.flatMap((need) => (need.artifacts ? fromProject(services, job, need, expand) : [])),
  ]);
  return found.flat();
}

/** Leaves out an optional need that does not exist. */
async function optionally(
  { optional }: PlannedJob['pipelineNeeds'][number],
  resolved: Promise<OutsideProducer | null>,
): Promise<(OutsideProducer | null)[]> {
  const producer = await resolved;
  return producer === null && optional ? [] : [producer];
}

/** Resolves a need on a pipeline of the same hierarchy. The job must have succeeded. */
async function fromHierarchy(
  services: Services,
  job: CiJobRow,
  need: PlannedJob['pipelineNeeds'][number],
  expand: Expand,
): Promise<OutsideProducer | null> {
  const { read } = services.db;
  const id = expand(need.pipeline);
  if (!/^\d{1,15}$/.test(id) || Number(id) === job.pipeline_id) return null;
  const [own, other] = await Promise.all([rootPipeline(read, job.pipeline_id), rootPipeline(read, Number(id))]);
  if (!own || own.id !== other?.id) return null;
  const jobs = await jobsNamed(read, [Number(id)], expand(need.job));
  return withArchive(
    services,
    jobs.find(({ status }) => status === 'success'),
  );
}

/**
 * Resolves a need on another project that the job's user can read: the latest successful job of that name on the ref.
 */
async function fromProject(
  services: Services,
  job: CiJobRow,
  need: PlannedJob['projectNeeds'][number],
  expand: Expand,
): Promise<OutsideProducer | null> {
  const { db, externalUrl } = services;
  const user = await findUser(db.read, job.user_id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) return null;
  // Access is checked as for the job token, so job token allowlists apply.
  const asJob = { ...actorOnBehalfOf(user), job: { id: job.id, projectId: job.project_id } };
  const subject = await readableProject(db, asJob, expand(need.project)).catch((error: unknown) => {
    if (error instanceof HttpError) return null;
    throw error;
  });
  if (!subject || !mayReadPipelines(subject)) return null;
  const pipelines = await recentPipelines(db.read, subject.project.id, expand(need.ref), maxPipelines);
  const ids = pipelines.flatMap(({ id }) => (id === job.pipeline_id ? [] : id));
  const successful = (await jobsNamed(db.read, ids, expand(need.job))).filter(({ status }) => status === 'success');
  return withArchive(services, successful.toSorted((left, right) => right.id - left.id)[0]);
}

async function withArchive({ db }: Services, job: CiJobRow | undefined): Promise<OutsideProducer | null> {
  if (!job || job.erased_at !== null) return null;
  const [archive] = await archivesOf(db.read, [job.id]);
  const [pipeline] = await pipelinesById(db.read, [job.pipeline_id]);
  return archive && isAvailable(archive, pipeline?.locked === 1) ? { job, archive } : null;
}
