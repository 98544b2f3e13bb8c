import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { type CiJobRow, jobOfProject, jobsNamed } from '../jobs/public.ts';
import { descendantPipelines, type PipelineRow, pipelinesById, successfulPipelines } from '../pipelines/public.ts';
import { isAvailable } from './expiry.ts';
import { archivesOf, artifactOf } from './store.ts';
import type { JobArtifactRow } from './tables.ts';

const maxPipelines = 100;

/** A job and its artifacts archive. */
export interface JobArchive {
  readonly job: CiJobRow;
  readonly archive: JobArtifactRow;
}

/** Whether the caller may download an artifact, by `artifacts:access` of its job. */
function mayDownload(subject: ProjectSubject, { access }: JobArtifactRow): boolean {
  if (access === 'public') return true;
  if (access === 'private') return subject.can('update_pipeline');
  return access === 'maintainer' && subject.can('admin_pipeline');
}

function requireAccess(subject: ProjectSubject, found: JobArchive): JobArchive {
  if (!mayDownload(subject, found.archive)) throw new Forbidden();
  return found;
}

export async function requireJob({ db }: Services, subject: ProjectSubject, id: number): Promise<CiJobRow> {
  const job = await jobOfProject(db.read, subject.project.id, id);
  if (job?.kind !== 'build') throw NotFound.record();
  return job;
}

/** Returns the archive of a job; throws when it does not exist, has expired or the caller may not download it. */
export async function archiveOfJob(services: Services, subject: ProjectSubject, id: number): Promise<JobArchive> {
  const { read } = services.db;
  const job = await requireJob(services, subject, id);
  const archive = await artifactOf(read, job.id, 'archive');
  const [pipeline] = await pipelinesById(read, [job.pipeline_id]);
  if (!archive || !isAvailable(archive, pipeline?.locked === 1)) throw new NotFound();
  return requireAccess(subject, { job, archive });
}

/**
 * Finds an archive by job name in the latest successful pipeline of a ref or its descendants. With `recent`, searches
 * the newest successful pipelines until one has it. A parent pipeline takes precedence over its children.
 */
export async function archiveOfRef(
  services: Services,
  subject: ProjectSubject,
  ref: string,
  name: string,
  recent: boolean,
): Promise<JobArchive> {
  const { read } = services.db;
  const families = recent ? await recentFamilies(services, subject, ref) : await latestFamily(services, subject, ref);
  const pipelines = families.flat();
  const jobs = await jobsNamed(
    read,
    pipelines.map(({ id }) => id),
    name,
  );
  const archives = await archivesOf(
    read,
    jobs.map(({ id }) => id),
  );
  for (const pipeline of pipelines) {
    const job = jobs.find((one) => one.pipeline_id === pipeline.id && (!recent || one.status === 'success'));
    const archive = archives.find(({ job_id }) => job_id === job?.id);
    if (job && archive && isAvailable(archive, pipeline.locked === 1)) return requireAccess(subject, { job, archive });
  }
  throw new NotFound(recent ? 'Job' : undefined);
}

async function latestFamily({ db }: Services, { project }: ProjectSubject, ref: string): Promise<PipelineRow[][]> {
  const [latest] = await successfulPipelines(db.read, project.id, ref, { limit: 1, children: false });
  return latest ? [[latest, ...(await descendantPipelines(db.read, latest))]] : [];
}

/** The newest successful pipelines of a ref, each followed by its descendants. */
async function recentFamilies({ db }: Services, { project }: ProjectSubject, ref: string): Promise<PipelineRow[][]> {
  const found = await successfulPipelines(db.read, project.id, ref, { limit: maxPipelines, children: true });
  const families = new Map<number, PipelineRow[]>();
  // A parent is older than its children, so iterating from the oldest meets it first.
  const rootOf = new Map<number, number>();
  for (const pipeline of [...found].reverse()) {
    const root = (pipeline.parent_id !== null && rootOf.get(pipeline.parent_id)) || pipeline.id;
    rootOf.set(pipeline.id, root);
    families.set(root, [...(families.get(root) ?? []), pipeline]);
  }
  return [...families.values()].reverse();
}
