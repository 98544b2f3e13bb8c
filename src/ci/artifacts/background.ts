import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/queue.ts';
import type { CiJobRow } from '../jobs/public.ts';
import { type PipelineRow, unlockAllButLatest, unlockOlder } from '../pipelines/public.ts';
import { isStatus, stopped } from '../states/public.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.expire-artifacts': { projectId: number };
    'ci.delete-artifact-files': Record<string, never>;
  }
}

const batchSize = 200;

/** Defines the jobs that expire artifacts and delete the files of removed ones. */
export function artifactJobs(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('ci.expire-artifacts', async (job) => {
    const { projectId } = job.payload;
    const keepLatest = await keepsLatest(services, projectId);
    await db.write(async (trx) => {
      await unlockAllButLatest(trx, projectId, keepLatest);
      await store.expireProject(trx, projectId, Date.now());
      await job.finish(trx);
    });
    await removeExpired(services, job.signal);
  });
  queue.defineJob('ci.delete-artifact-files', (job) => removeFiles(services, job.signal), { concurrency: 1 });
  queue.recurring('artifacts.expiry', { everyMs: 7 * 60_000 }, (job: Job<null>) => removeExpired(services, job.signal));
}

async function keepsLatest({ db, settings }: Services, projectId: number): Promise<boolean> {
  if (!(await settings.read()).keep_latest_artifact) return false;
  const project = await findProject(db.read, projectId);
  return project !== undefined && settingsOf(project).keep_latest_artifact !== false;
}

async function removeExpired(services: Services, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  for (let afterId = 0; !signal.aborted; ) {
    const ids = await store.expiredArtifacts(services.db.read, now, afterId, batchSize);
    const last = ids.at(-1);
    if (last === undefined) break;
    await services.db.write((trx) => store.deleteArtifacts(trx, { ids }));
    afterId = last;
  }
  await removeFiles(services, signal);
}

async function removeFiles({ db, storage }: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const keys = await store.filesToDelete(db.read, batchSize);
    if (keys.length === 0) return;
    for (const key of keys) await storage.delete(key);
    await db.write((trx) => store.forgetFiles(trx, keys));
  }
}

async function remove({ queue }: Services, trx: Writer, scope: store.DeletionScope): Promise<void> {
  await store.deleteArtifacts(trx, scope);
  await queue.enqueue(trx, 'ci.delete-artifact-files', {}, { dedupeKey: 'all' });
}

/** Unlocks the artifacts of older pipelines of the ref when a pipeline completes: they are no longer the latest. */
export async function followPipeline(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  if (!isStatus(pipeline.status) || !stopped.has(pipeline.status) || pipeline.source === 'external') return;
  await unlockOlder(trx, pipeline, await keepsLatest(services, pipeline.project_id));
}

export const eraseArtifacts = (services: Services, trx: Writer, { job }: { readonly job: CiJobRow }) =>
  remove(services, trx, { jobId: job.id, log: true });

export const removeWithPipeline = (services: Services, trx: Writer, { pipeline }: { readonly pipeline: PipelineRow }) =>
  remove(services, trx, { pipelineId: pipeline.id });

export const removeWithProject = (
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
) => remove(services, trx, { projectId: project.id });
