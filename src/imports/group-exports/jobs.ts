import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { fault } from '../../platform/faults.ts';
import type { Job } from '../../platform/queue/job.ts';
import { FileTooLarge } from '../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed } from '../../platform/storage/unclaimed.ts';
import { archiveOf } from './archive.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'group-exports.make': { groupId: number };
    /** Deletes a file that no row refers to. */
    'group-exports.discard': { key: string };
  }
}

const hour = 60 * 60_000;
const lifetimeMs = 24 * hour;
const mebibyte = 1024 * 1024;

export function groupExportJobs(services: Services): void {
  const { queue, storage } = services;
  queue.defineJob('group-exports.make', (job) => createExport(services, job), {
    timeoutMs: 6 * hour,
    maxAttempts: 3,
    concurrency: 2,
  });
  queue.defineJob('group-exports.discard', ({ payload }) => storage.delete(payload.key));
  queue.recurring('group-exports.expire', { everyMs: hour }, () => expireExports(services, Date.now()));
}

async function createExport(services: Services, job: Job<{ readonly groupId: number }>): Promise<void> {
  const { db, queue, log } = services;
  const { groupId } = job.payload;
  const group = await lookUpNamespace(db.read, String(groupId));
  const row = await store.findExport(db.read, groupId);
  if (group?.kind !== 'group' || !row) return;
  await db.write((trx) => store.updateExport(trx, groupId, { status: 'started' }));
  try {
    const made = await createFile(services, group, job.signal);
    fault('group-export.made');
    await db.write(async (trx) => {
      const columns = { status: 'finished', ...made, error: null, finished_at: Date.now() } as const;
      const there = await store.updateExport(trx, groupId, columns);
      const unused = there ? row.storage_key : made.storage_key;
      if (there) await claimStoredFile(services, trx, made.storage_key);
      if (unused !== null) await queue.enqueue(trx, 'group-exports.discard', { key: unused });
      await job.finish(trx);
    });
  } catch (error) {
    // The job is interrupted or will be retried; an earlier export remains available in the meantime.
    if (job.signal.aborted || (job.attempt < job.maxAttempts && !(error instanceof FileTooLarge))) throw error;
    log.error({ err: error, group: groupId }, 'failed to export a group');
    const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000);
    await db.write((trx) => store.updateExport(trx, groupId, { status: 'failed', error: message }));
  }
}

type ExportFile = { readonly storage_key: string; readonly size: number; readonly filename: string };

async function createFile(services: Services, group: Namespace, signal: AbortSignal): Promise<ExportFile> {
  // Files left by a crash are removed together with those of project exports.
  const folder = join(services.config.data, 'tmp', 'exports', randomUUID());
  const storage_key = `exports/groups/${group.id}/${randomUUID()}`;
  const { max_export_size } = await services.settings.read();
  const most = max_export_size === 0 ? {} : { maxSize: max_export_size * mebibyte };
  try {
    const { size } = await putUnclaimed(services, storage_key, archiveOf({ services, folder, signal }, group), most);
    const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    return { storage_key, size, filename: `${stamp}_${group.path}_export.tar.gz` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes expired exports. */
export async function expireExports({ db, storage }: Services, now: number): Promise<void> {
  for (;;) {
    const old = await store.exportsBefore(db.read, now - lifetimeMs);
    if (old.length === 0) return;
    for (const { namespace_id, storage_key } of old) {
      await db.write((trx) => store.updateExport(trx, namespace_id, { storage_key: null }));
      if (storage_key !== null) await storage.delete(storage_key);
    }
  }
}
