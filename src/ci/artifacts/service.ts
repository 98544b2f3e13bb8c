import type { Readable } from 'node:stream';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { BadRequest, Forbidden, HttpError, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { type CiJobRow, type JobEntity, jobById, presentJobs, updateJob } from '../jobs/public.ts';
import { pipelinesById } from '../pipelines/public.ts';
import { findEntry } from './archive/directory.ts';
import { readMetadata } from './archive/metadata.ts';
import { openStoredArchive } from './archive/reader.ts';
import { type TreeEntry, treeOf } from './archive/tree.ts';
import { isAvailable } from './expiry.ts';
import { archiveOfJob, type JobArchive, requireJob } from './find.ts';
import { artifactOf, deleteArtifacts, keepArtifacts } from './store.ts';

export interface OpenFile {
  readonly filename: string;
  readonly size: number;
  readonly stream: Readable;
}

/** Opens the artifacts archive of a job. */
export async function openArchive({ storage }: Services, { archive }: JobArchive): Promise<OpenFile> {
  const { stream, size } = await storage.get(archive.storage_key).catch(rethrowAsNotFound);
  return { filename: archive.filename, size, stream };
}

function rethrowAsNotFound(error: unknown): never {
  throw error instanceof FileMissing ? new NotFound() : error;
}

const entryNotFound = () => new HttpError(404, 'Not Found', { 'content-type': 'text/plain' });

/** Opens a single file in the archive of a job without extracting the rest. */
export async function openEntry({ storage }: Services, { archive }: JobArchive, path: string): Promise<OpenFile> {
  if (path.includes('\0') || path.includes('\ufffd')) throw new BadRequest();
  const opened = await openStoredArchive(storage, archive.storage_key, archive.size).catch(rethrowAsNotFound);
  try {
    const entry = await findEntry(storage, archive.storage_key, opened, path);
    const stream = await entry?.open();
    if (entry && stream) {
      stream.once('close', () => opened.close());
      return { filename: path.split('/').at(-1) ?? path, size: entry.size, stream };
    }
  } catch (error) {
    opened.close();
    throw error;
  }
  opened.close();
  throw entryNotFound();
}

/** Lists a folder of the artifacts archive of a job. */
export async function listTree(
  services: Services,
  subject: ProjectSubject,
  jobId: number,
  { path, recursive }: { readonly path: string; readonly recursive: boolean },
  page: PageRequest,
): Promise<Page<TreeEntry>> {
  const { job } = await archiveOfJob(services, subject, jobId).catch((error: unknown) => {
    throw error instanceof NotFound ? new NotFound('Artifacts') : error;
  });
  const metadata = await artifactOf(services.db.read, job.id, 'metadata');
  if (!metadata) throw new NotFound('Artifacts metadata');
  const { stream } = await services.storage.get(metadata.storage_key).catch(rethrowAsNotFound);
  const tree = await treeOf(readMetadata(stream), path, recursive);
  if (!tree) throw new NotFound('Path');
  return new Page(tree.slice(page.offset, page.offset + page.perPage), tree.length);
}

/** Removes the expiry date of the artifacts of a job. */
export async function keepOfJob(services: Services, subject: ProjectSubject, jobId: number) {
  const { job } = await archiveOfJob(services, subject, jobId);
  const updated = await services.db.write(async (trx) => {
    await keepArtifacts(trx, job.id);
    return updateJob(trx, job.id, { artifacts_expire_at: null });
  });
  const [entity] = await presentJobs(services, subject, [updated]);
  if (!entity) throw NotFound.record();
  return withDownload(services, subject, entity);
}

function withDownload(services: Services, subject: ProjectSubject, entity: JobEntity) {
  const address = `${projectUrl(services, subject)}/-/jobs/${entity.id}/artifacts/download`;
  return { ...entity, download_url: entity.artifacts_file ? address : null };
}

/** Deletes the artifacts of a job except its log. */
export async function deleteOfJob(services: Services, subject: ProjectSubject, jobId: number): Promise<void> {
  const job = await requireJob(services, subject, jobId);
  await services.db.write(async (trx) => {
    await deleteArtifacts(trx, { jobId: job.id, log: false });
    await updateJob(trx, job.id, { artifacts_expire_at: null });
    await services.queue.enqueue(trx, 'ci.delete-artifact-files', {}, { dedupeKey: 'all' });
  });
}

/** Expires all artifacts of a project that are neither kept nor locked, in a background job. */
export async function expireAll({ db, queue }: Services, { project: { id } }: ProjectSubject): Promise<void> {
  await db.write((trx) => queue.enqueue(trx, 'ci.expire-artifacts', { projectId: id }, { dedupeKey: `${id}` }));
}

/**
 * Returns the archive of a job for a later job that depends on it. The user of the later job needs read access to the
 * project.
 */
export async function archiveForJob(services: Services, caller: SignedInActor, jobId: number): Promise<JobArchive> {
  const { read } = services.db;
  const job: CiJobRow | undefined = await jobById(read, jobId);
  const project = job && (await findProject(read, job.project_id));
  if (!job || !project) throw new NotFound();
  const subject = await projectSubject(read, caller, project);
  if (!subject.can('read_project')) throw new NotFound();
  if (!subject.can('read_pipeline')) throw new Forbidden();
  const archive = await artifactOf(read, job.id, 'archive');
  const [pipeline] = await pipelinesById(read, [job.pipeline_id]);
  if (!archive || !isAvailable(archive, pipeline?.locked === 1)) throw new NotFound();
  return { job, archive };
}
