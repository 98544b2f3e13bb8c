import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import type { Job } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { claimStoredFile, putUnclaimed } from '../../platform/storage/unclaimed.ts';
import { type Exported, exportedGroup, exportedProject } from './exported.ts';
import { filesOfRelation } from './files.ts';
import * as store from './store.ts';
import type { NewRelationFile, RelationExportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'relation-exports.make': RelationPayload;
    /** Deletes files that no row refers to. */
    'relation-exports.discard': { keys: readonly string[] };
  }
}

type RelationPayload = { readonly relation: string } & ({ readonly projectId: number } | { readonly groupId: number });

/** Payload of the job that exports a relation, with its deduplication key. */
export function payloadOf({ project_id, namespace_id }: OwnerColumns, relation: string) {
  return project_id === null
    ? { payload: { groupId: namespace_id ?? 0, relation }, dedupeKey: `group ${namespace_id} ${relation}` }
    : { payload: { projectId: project_id, relation }, dedupeKey: `${project_id} ${relation}` };
}

const hour = 60 * 60_000;
const lifetimeMs = 24 * hour;

export function relationExportJobs(services: Services): void {
  const { queue, storage } = services;
  queue.defineJob('relation-exports.make', (job) => exportRelation(services, job), {
    timeoutMs: 6 * hour,
    maxAttempts: 3,
    concurrency: 2,
  });
  queue.defineJob('relation-exports.discard', async ({ payload }) => {
    for (const key of payload.keys) await storage.delete(key);
  });
  queue.recurring('relation-exports.expire', { everyMs: hour }, () => expireRelations(services, Date.now()));
}

/** The project or group to export and its owner columns; undefined if it was deleted. */
async function sourceOf(
  services: Services,
  payload: RelationPayload,
  making: { readonly folder: string; readonly signal: AbortSignal },
): Promise<{ exported: Exported; owner: OwnerColumns } | undefined> {
  const { read } = services.db;
  if ('projectId' in payload) {
    const project = await findProject(read, payload.projectId);
    const owner = { project_id: payload.projectId, namespace_id: null };
    return project && { exported: exportedProject(services, project, making), owner };
  }
  const group = await lookUpNamespace(read, String(payload.groupId));
  return group && { exported: exportedGroup(services, group), owner: { project_id: null, namespace_id: group.id } };
}

async function exportRelation(services: Services, job: Job<RelationPayload>): Promise<void> {
  const { db, queue, log, config } = services;
  const { relation } = job.payload;
  const making = { folder: join(config.data, 'tmp', 'exports', randomUUID()), signal: job.signal };
  const source = await sourceOf(services, job.payload, making);
  const row = source && (await store.findExport(db.read, source.owner, relation));
  if (!source || row?.status !== 'started') return;
  const made: CreatedFile[] = [];
  try {
    await createFiles(source.exported, row, making, made);
    fault('relation-export.made');
    await db.write(async (trx) => {
      const objects_count = made.reduce((sum, file) => sum + file.objects_count, 0);
      const isCurrent = await store.endRelation(trx, row, { status: 'finished', error: null, objects_count });
      if (isCurrent) for (const key of keysOf(made)) await claimStoredFile(services, trx, key);
      const unused = isCurrent ? await store.replaceFiles(trx, row.id, made) : keysOf(made);
      if (unused.length > 0) await queue.enqueue(trx, 'relation-exports.discard', { keys: unused });
      await job.finish(trx);
    });
  } catch (error) {
    const keys = keysOf(made);
    if (keys.length > 0) await db.write((trx) => queue.enqueue(trx, 'relation-exports.discard', { keys }));
    // The job is interrupted or will be retried; the export is reported as running in the meantime.
    if (job.signal.aborted || job.attempt < job.maxAttempts) throw error;
    log.error({ err: error, ...job.payload }, 'failed to export a relation');
    const message = scrubUrl(error instanceof Error ? error.message : String(error)).slice(0, 1000);
    await db.write((trx) => store.endRelation(trx, row, { status: 'failed', error: message }));
  }
}

type CreatedFile = Omit<NewRelationFile, 'export_id'>;
const keysOf = (files: readonly CreatedFile[]) => files.map(({ storage_key }) => storage_key);

async function createFiles(
  exported: Exported,
  { relation, batched, project_id }: RelationExportRow,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
  made: CreatedFile[],
): Promise<void> {
  const keyPrefix = project_id === null ? `exports/groups/${exported.id}` : `exports/${exported.id}/relations`;
  try {
    for await (const { filename, batch, bytes, count } of filesOfRelation(exported, relation, batched === 1, signal)) {
      const storage_key = `${keyPrefix}/${randomUUID()}`;
      await putUnclaimed(exported.services, storage_key, bytes);
      const updated_at = Date.now();
      made.push({ batch_number: batch, objects_count: count(), storage_key, filename, updated_at });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes expired exports. */
export async function expireRelations({ db, queue }: Services, now: number): Promise<void> {
  for (;;) {
    const old = await store.exportsBefore(db.read, now - lifetimeMs);
    if (old.length === 0) return;
    for (const { id } of old) {
      await db.write(async (trx) => {
        const keys = await store.replaceFiles(trx, id, []);
        await store.deleteExport(trx, id);
        if (keys.length > 0) await queue.enqueue(trx, 'relation-exports.discard', { keys });
      });
    }
  }
}
