import { anonymous } from '../../../access/actor.ts';
import { rootNamespaceId as outermost } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import { findProject, pagesLevel } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { acquireLock, lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { artifactOf, type JobArtifactRow, openStoredArchive } from '../../artifacts/public.ts';
import { durationSeconds, expand, neverExpires, type PlannedPages } from '../../config/public.ts';
import { type CiJobRow, jobById, plannedJob } from '../../jobs/public.ts';
import { variablesOfJob } from '../../variables/public.ts';
import { prefixOf } from '../addresses.ts';
import { ensureSite, saveProblem } from '../settings/store.ts';
import type { DeploymentRow } from '../tables.ts';
import { type Contents, contentsOf, rootOf } from './contents.ts';
import { removeFilesSoon } from './removal.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'pages.publish': { jobId: number };
  }
}

/** Maximum number of sites with a path prefix in all projects of a root namespace. */
const maxPrefixedSites = 1000;
const defaultLifetimeMs = 24 * 60 * 60 * 1000;

/** Enqueues publishing when a Pages job succeeds. */
export async function followJob(services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  if (services.config.pagesDomain === undefined || job.status !== 'success' || job.kind !== 'build') return;
  if (plannedJob(job).pages !== null) await services.queue.enqueue(trx, 'pages.publish', { jobId: job.id });
}

/** Pages options of a job, with variables expanded. */
interface PagesOptions {
  readonly root: string | undefined;
  readonly prefix: string;
  readonly expiresAt: number | null;
}

async function pagesOptions(services: Services, job: CiJobRow, pages: PlannedPages): Promise<PagesOptions> {
  const values = new Map((await variablesOfJob(services, services.db.read, job)).map(({ key, value }) => [key, value]));
  const expandVariables = (text: string) => expand(text, (name) => values.get(name));
  const prefix = prefixOf(expandVariables(pages.pathPrefix ?? ''));
  return {
    root: rootOf(pages.publish === null ? null : expandVariables(pages.publish)),
    prefix,
    expiresAt: expiryOf(pages.expireIn && expandVariables(pages.expireIn), prefix, Date.now()),
  };
}

function expiryOf(expireIn: string | null, prefix: string, now: number): number | null {
  if (expireIn !== null && neverExpires(expireIn)) return null;
  const seconds = expireIn === null ? null : durationSeconds(expireIn);
  if (seconds !== null) return now + seconds * 1000;
  return prefix === '' ? null : now + defaultLifetimeMs;
}

/** Publishes the site of a job. A retry after a crash reuses the same storage key, so no copy is orphaned. */
export async function publish(services: Services, jobId: number): Promise<void> {
  const { db } = services;
  const job = await jobById(db.read, jobId);
  const pages = job && plannedJob(job).pages;
  const project = job && (await findProject(db.read, job.project_id));
  if (!job || !pages || !project || pagesLevel(project) === 'disabled') return;
  if (await store.deploymentOfJob(db.read, job.id)) return;
  const options = await pagesOptions(services, job, pages);
  const archive = await artifactOf(db.read, job.id, 'archive');
  const contents = await examine(services, archive, options.root);
  if ('problem' in contents || !archive || options.root === undefined) {
    const problem = 'problem' in contents ? contents.problem : 'the job left nothing';
    await db.write((trx) => recordProblem(services, trx, job, problem));
    return;
  }
  const storage_key = `pages/${job.project_id}/${job.id}`;
  const { stream } = await services.storage.get(archive.storage_key);
  const { size } = await services.storage.put(storage_key, stream);
  fault('pages.copied');
  const subject = await projectSubject(db.read, anonymous, project);
  const root = await outermost(db.read, subject.namespace.id);
  const row = {
    project_id: job.project_id,
    job_id: job.id,
    pipeline_number: job.pipeline_id,
    path_prefix: options.prefix,
    root_directory: options.root ?? '',
    storage_key,
    size,
    file_count: contents.files,
    expires_at: options.expiresAt,
    created_at: Date.now(),
  };
  await db
    .write((trx) => replace(services, trx, root, row))
    .catch(async (error: unknown) => {
      // The project was deleted in the meantime, along with the records of its files.
      if (!(await findProject(db.read, job.project_id))) await services.storage.delete(storage_key);
      throw error;
    });
}

async function examine(
  { storage, settings }: Services,
  archive: JobArtifactRow | undefined,
  root: string | undefined,
): Promise<Contents> {
  if (root === undefined) return { problem: 'the folder to publish is outside of the artifacts' };
  if (!archive) return { problem: 'the job left no artifacts' };
  const { max_pages_size } = await settings.read();
  const opened = await openStoredArchive(storage, archive.storage_key, archive.size);
  try {
    return await contentsOf(opened, root, max_pages_size);
  } finally {
    opened.close();
  }
}

async function recordProblem(
  services: Services,
  trx: Writer,
  job: { id: number; project_id: number },
  problem: string,
) {
  await ensureSite(services, trx, job.project_id);
  await saveProblem(trx, job.project_id, { problem, problem_job_id: job.id });
}

/** Replaces a site atomically: requests see either the old or the new site. */
async function replace(services: Services, trx: Writer, root: number, row: Omit<DeploymentRow, 'id'>): Promise<void> {
  const { project_id, path_prefix: prefix, storage_key } = row;
  const job = { id: row.job_id ?? 0, project_id };
  if (prefix !== '') await acquireLock(trx, `pages below ${root}`);
  await acquireLock(trx, `pages of ${project_id}`);
  const giveUp = async (problem?: string) => {
    if (problem !== undefined) await recordProblem(services, trx, job, problem);
    await store.noteFile(trx, storage_key);
    await removeFilesSoon(services, trx);
  };
  // The project may have been deleted, the job erased, or a newer pipeline may have published first.
  if (!(await lockRow(trx, 'projects', project_id)) || !(await jobById(trx, job.id))) return giveUp();
  const before = await store.deploymentWith(trx, project_id, prefix);
  if (before && isNewer(before, row)) return giveUp();
  if (!before && prefix !== '' && (await store.countPrefixed(trx, root, Date.now())) >= maxPrefixedSites) {
    return giveUp(`the namespace already has ${maxPrefixedSites} sites with a path prefix`);
  }
  if (before) {
    await store.deleteDeployments(trx, { id: before.id });
    await removeFilesSoon(services, trx);
  }
  await ensureSite(services, trx, project_id);
  await saveProblem(trx, project_id, { problem: null, problem_job_id: null });
  await store.forgetFiles(trx, [storage_key]);
  await store.insertDeployment(trx, row);
}

type DeploymentOrder = Pick<DeploymentRow, 'pipeline_number' | 'job_id'>;

const isNewer = (one: DeploymentOrder, other: DeploymentOrder) =>
  one.pipeline_number > other.pipeline_number ||
  (one.pipeline_number === other.pipeline_number && (one.job_id ?? 0) > (other.job_id ?? 0));
