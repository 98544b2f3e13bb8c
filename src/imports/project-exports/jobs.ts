import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import { ifMissing } from '../../platform/missing.ts';
import type { Job } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { FileTooLarge } from '../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed } from '../../platform/storage/unclaimed.ts';
import { archiveOf } from './archive.ts';
import { purpose, readOptions } from './service.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'project-exports.make': { projectId: number };
    /** Deletes a file that no row refers to. */
    'project-exports.discard': { key: string };
  }
}

const hour = 60 * 60_000;
const lifetimeMs = 24 * hour;
const mebibyte = 1024 * 1024;

export function projectExportJobs(services: Services): void {
  const { queue, storage } = services;
  queue.defineJob('project-exports.make', (job) => createExport(services, job), {
    timeoutMs: 6 * hour,
    maxAttempts: 3,
    concurrency: 2,
  });
  queue.defineJob('project-exports.discard', ({ payload }) => storage.delete(payload.key));
  queue.recurring('project-exports.expire', { everyMs: hour }, () => expireExports(services, Date.now()));
}

const scratch = ({ config }: Services) => join(config.data, 'tmp', 'exports');

async function createExport(services: Services, job: Job<{ readonly projectId: number }>): Promise<void> {
  const { db, encryption } = services;
  const { projectId } = job.payload;
  const project = await findProject(db.read, projectId);
  const row = await store.findExport(db.read, projectId);
  if (!project || !row) return;
  await db.write((trx) => store.updateExport(trx, projectId, { status: 'started' }));
  const { description, upload } = readOptions(encryption.decrypt(row.options, purpose));
  try {
    const made = await createFile(services, project, description, job.signal);
    fault('project-export.made');
    await db.write(async (trx) => {
      const columns = { status: 'finished', ...made, error: null, finished_at: Date.now() } as const;
      const there = await store.updateExport(trx, projectId, columns);
      const unused = there ? row.storage_key : made.storage_key;
      if (there) await claimStoredFile(services, trx, made.storage_key);
      if (unused !== null) await services.queue.enqueue(trx, 'project-exports.discard', { key: unused });
      if (upload === null) await job.finish(trx);
    });
    if (upload !== null) await send(services, made, upload, job.signal);
  } catch (error) {
    // The job is interrupted or will be retried; the export is reported as running in the meantime.
    if (job.signal.aborted || (job.attempt < job.maxAttempts && !(error instanceof FileTooLarge))) throw error;
    services.log.error({ err: error, project: projectId }, 'failed to export a project');
    const message = scrubUrl(error instanceof Error ? error.message : String(error)).slice(0, 1000);
    await db.write((trx) => store.updateExport(trx, projectId, { status: 'failed', error: message }));
  }
}

type ExportFile = { readonly storage_key: string; readonly size: number; readonly filename: string };

async function createFile(
  services: Services,
  project: Project,
  description: string | null,
  signal: AbortSignal,
): Promise<ExportFile> {
  const folder = join(scratch(services), randomUUID());
  const storage_key = `exports/${project.id}/${randomUUID()}`;
  const { max_export_size } = await services.settings.read();
  const most = max_export_size === 0 ? {} : { maxSize: max_export_size * mebibyte };
  try {
    const body = archiveOf({ services, project, description, folder, signal });
    const { size } = await putUnclaimed(services, storage_key, body, most);
    const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    return { storage_key, size, filename: `${stamp}_${project.path}_export.tar.gz` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function send(
  { egress, storage }: Services,
  { storage_key, size }: ExportFile,
  { url, method }: { readonly url: string; readonly method: string },
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await storage.get(storage_key);
  const headers = { 'content-type': 'application/gzip', 'content-length': `${size}` };
  const timeoutsMs = { headers: 300_000, body: 300_000, total: 3 * hour };
  const response = await egress.fetch(url, { method, headers, body: stream, timeoutsMs, signal });
  await response.text();
  if (response.status >= 300) throw new Error(`the upload server responded with ${response.status}`);
}

/** Deletes expired exports and leftovers of crashes. */
export async function expireExports(services: Services, now: number): Promise<void> {
  const { db, storage } = services;
  for (;;) {
    const old = await store.exportsBefore(db.read, now - lifetimeMs);
    if (old.length === 0) break;
    for (const { project_id, storage_key } of old) {
      await db.write((trx) => store.updateExport(trx, project_id, { storage_key: null }));
      if (storage_key !== null) await storage.delete(storage_key);
    }
  }
  const folder = scratch(services);
  for (const name of (await readdir(folder).catch(ifMissing)) ?? []) {
    const found = await stat(join(folder, name)).catch(ifMissing);
    if (found && found.mtimeMs < now - lifetimeMs) await rm(join(folder, name), { recursive: true, force: true });
  }
}
