import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { type CiJobRow, jobOfProject, jobsNamed } from '../jobs/public.ts';
import { descendantPipelines, type PipelineRow, pipelinesById, successfulPipelines } from '../pipelines/public.ts';
import { stillThere } from './expiry.ts';
import { archivesOf, artifactOf } from './store.ts';
import type { JobArtifactRow } from './tables.ts';

const maxPipelines = 100;

/** A job with the archive that it left. */
export interface Found {
  readonly job: CiJobRow;
  readonly archive: JobArtifactRow;
}

/** Whether somebody may have an artifact, as the configuration of its job says. */
function mayHave(subject: ProjectSubject, { access }: JobArtifactRow): boolean {
  if (access === 'public') return true;
  if (access === 'private') return subject.can('update_pipeline');
  return access === 'maintainer' && subject.can('admin_pipeline');
}

function allowed(subject: ProjectSubject, found: Found): Found {
  if (!mayHave(subject, found.archive)) throw new Forbidden();
  return found;
}

export async function requireJob({ db }: Services, subject: ProjectSubject, id: number): Promise<CiJobRow> {
  const job = await jobOfProject(db.read, subject.project.id, id);
  if (job?.kind !== 'build') throw NotFound.record();
  return job;
}

/** The archive of a job, if there is one that has not gone, and the caller may have it. */
export async function archiveOfJob(services: Services, subject: ProjectSubject, id: number): Promise<Found> {
  const { read } = services.db;
  const job = await requireJob(services, subject, id);
  const archive = await artifactOf(read, job.id, 'archive');
  const [pipeline] = await pipelinesById(read, [job.pipeline_id]);
  if (!archive || !stillThere(archive, pipeline?.locked === 1)) throw new NotFound();
  return allowed(subject, { job, archive });
}

/**
 * The archive of a job by its name, from the latest successful pipeline of a ref or what that has started; where recent
 * ones may do as well, from the newest successful pipeline that has one. The parent's comes before that of a child.
 */
export async function archiveOfRef(
  services: Services,
  subject: ProjectSubject,
  ref: string,
  name: string,
  recent: boolean,
): Promise<Found> {
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
    if (job && archive && stillThere(archive, pipeline.locked === 1)) return allowed(subject, { job, archive });
  }
  throw new NotFound(recent ? 'Job' : undefined);
}

async function latestFamily({ db }: Services, { project }: ProjectSubject, ref: string): Promise<PipelineRow[][]> {
  const [latest] = await successfulPipelines(db.read, project.id, ref, { limit: 1, children: false });
  return latest ? [[latest, ...(await descendantPipelines(db.read, latest))]] : [];
}

/** The newest pipelines of a ref, each followed by those that it has started. */
async function recentFamilies({ db }: Services, { project }: ProjectSubject, ref: string): Promise<PipelineRow[][]> {
  const found = await successfulPipelines(db.read, project.id, ref, { limit: maxPipelines, children: true });
  const families = new Map<number, PipelineRow[]>();
  // A parent is older than what it has started, so that it is known by then.
  const headOf = new Map<number, number>();
  for (const pipeline of [...found].reverse()) {
    const head = (pipeline.parent_id !== null && headOf.get(pipeline.parent_id)) || pipeline.id;
    headOf.set(pipeline.id, head);
    families.set(head, [...(families.get(head) ?? []), pipeline]);
  }
  return [...families.values()].reverse();
}
