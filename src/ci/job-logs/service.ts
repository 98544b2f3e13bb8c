import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import type { Range } from '../../platform/http/responses/byte-range.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { artifactOf, insertArtifact } from '../artifacts/public.ts';
import { failureReasons } from '../config/public.ts';
import { type CiJobRow, jobById, type OpenTrace, statusOf, transitionJob, updateJob } from '../jobs/public.ts';
import { completed } from '../states/public.ts';
import { requireComplete, type SentLog } from './integrity.ts';
import { jobForbidden, runningJob } from './running-job.ts';
import { chunksOf, deleteChunks, hasChunks } from './store.ts';
import { markWatched } from './update-interval.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.store-log': { jobId: number };
  }
}

/** Minimum interval between updates of `updated_at` of a running job. Jobs without recent updates count as stuck. */
const touchIntervalMs = 5 * 60_000;
const maxExitCode = 32_767;

/** Status report of a runner on a job. */
export interface Report extends SentLog {
  readonly id: number;
  readonly token: string | undefined;
  readonly state?: string | undefined;
  readonly failureReason?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** Handles a status report: the job is still running, or has ended. */
export async function reportJob(services: Services, report: Report): Promise<CiJobRow> {
  const job = await runningJob(services, report.id, report.token);
  if (report.state === 'running') return keepAlive(services, job);
  if (report.state !== 'success' && report.state !== 'failed') throw new BadRequest();
  await requireComplete(services, job, report);
  const exitCode = report.exitCode === undefined ? null : Math.min(Math.max(report.exitCode, 0), maxExitCode);
  const knownReason = report.failureReason !== undefined && failureReasons.includes(report.failureReason);
  const ended = await services.db.write((trx) =>
    report.state === 'success'
      ? transitionJob(services, trx, job.id, 'success', { exitCode })
      : transitionJob(services, trx, job.id, 'drop', {
          exitCode,
          failureReason: knownReason ? (report.failureReason as string) : 'unknown_failure',
        }),
  );
  // The job ended concurrently.
  if (!ended) throw jobForbidden('Job is not processing on runner', (await jobById(services.db.read, job.id)) ?? job);
  return ended;
}

async function keepAlive({ db }: Services, job: CiJobRow): Promise<CiJobRow> {
  // The first report is recorded at once: without one, the job may never have reached the runner.
  if (job.updated_at > Date.now() - touchIntervalMs && job.updated_at !== job.started_at) return job;
  return db.write((trx) => updateJob(trx, job.id, { updated_at: Date.now() }));
}

/** Schedules moving the log of a completed job into one file. */
export async function scheduleStoring({ queue }: Services, trx: Writer, { job }: { readonly job: CiJobRow }) {
  if (job.kind === 'build' && job.trace_size > 0 && completed.has(statusOf(job))) {
    await queue.enqueue(trx, 'ci.store-log', { jobId: job.id }, { dedupeKey: `${job.id}` });
  }
}

export function logJobs(services: Services): void {
  const { db, queue, storage } = services;
  queue.defineJob('ci.store-log', async ({ payload: { jobId } }) => {
    const job = await jobById(db.read, jobId);
    if (!job || job.erased_at !== null || !(await hasChunks(db.read, jobId))) return;
    const storage_key = keyOf(job);
    const { size, sha256 } = await storage.put(storage_key, chunksOf(db.read, jobId, job.trace_size));
    const insertTrace = async (trx: Writer) => {
      if (!(await artifactOf(trx, jobId, 'trace'))) {
        const file = { file_type: 'trace', file_format: 'raw', filename: 'job.log' } as const;
        const row = { ...file, job_id: jobId, project_id: job.project_id, storage_key, size, sha256 };
        await insertArtifact(trx, { ...row, expire_at: null, created_at: Date.now() });
      }
      await deleteChunks(trx, jobId);
    };
    await db.write(insertTrace).catch(async (error: unknown) => {
      // The job was deleted concurrently, so nothing references this file.
      if (!(await jobById(db.read, jobId))) await storage.delete(storage_key);
      throw error;
    });
  });
}

function keyOf({ id, project_id }: CiJobRow): string {
  return `artifacts/${project_id}/${id}/job.log`;
}

/** Opens the log of a job, which may still be growing. */
export const openLog: OpenTrace = async (services, job, part) => {
  const { db, storage } = services;
  if (job.trace_size === 0) return undefined;
  markWatched(job.id);
  if (await hasChunks(db.read, job.id)) {
    return { size: job.trace_size, stream: Readable.from(logFrom(services, job, part)) };
  }
  const stored = await artifactOf(db.read, job.id, 'trace');
  if (!stored) return undefined;
  return storage.get(stored.storage_key, part && { ...part }).catch((error: unknown) => {
    if (error instanceof FileMissing) return undefined;
    throw error;
  });
};

/**
 * Continues from the stored file when the log is moved there while being read: the response already announced its
 * length.
 */
async function* logFrom({ db, storage }: Services, { id, trace_size }: CiJobRow, part?: Range): AsyncGenerator<Buffer> {
  const end = part ? part.end + 1 : trace_size;
  let at = part?.start ?? 0;
  for await (const chunk of chunksOf(db.read, id, end, at)) {
    at += chunk.length;
    yield chunk;
  }
  const stored = at < end ? await artifactOf(db.read, id, 'trace') : undefined;
  if (stored) yield* (await storage.get(stored.storage_key, { start: at, end: end - 1 })).stream;
}

/** Deletes the log when a job is erased. */
export async function eraseLog(_services: Services, trx: Writer, { job }: { readonly job: CiJobRow }): Promise<void> {
  await deleteChunks(trx, job.id);
}
