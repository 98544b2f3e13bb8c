import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import type { Job } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { filesOfRelation } from './files.ts';
import * as store from './store.ts';
import type { NewRelationFile, RelationExportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'relation-exports.make': { projectId: number; relation: string };
    /** Files that no row leads to any more. */
    'relation-exports.discard': { keys: readonly string[] };
  }
}

const hour = 60 * 60_000;
const keptMs = 24 * hour;

export function relationExportJobs(services: Services): void {
  const { queue, storage } = services;
  queue.defineJob('relation-exports.make', (job) => makeRelation(services, job), {
    timeoutMs: 6 * hour,
    maxAttempts: 3,
    concurrency: 2,
  });
  queue.defineJob('relation-exports.discard', async ({ payload }) => {
    for (const key of payload.keys) await storage.delete(key);
  });
  queue.recurring('relation-exports.expire', { everyMs: hour }, () => expireRelations(services, Date.now()));
}

async function makeRelation(
  services: Services,
  job: Job<{ readonly projectId: number; readonly relation: string }>,
): Promise<void> {
  const { db, queue, log } = services;
  const { projectId, relation } = job.payload;
  const project = await findProject(db.read, projectId);
  const row = await store.findExport(db.read, projectId, relation);
  if (!project || row?.status !== 'started') return;
  const made: MadeFile[] = [];
  try {
    await makeFiles(services, project, row, job.signal, made);
    fault('relation-export.made');
    await db.write(async (trx) => {
      const objects_count = made.reduce((sum, file) => sum + file.objects_count, 0);
      const wanted = await store.endRelation(trx, row, { status: 'finished', error: null, objects_count });
      const unused = wanted ? await store.replaceFiles(trx, row.id, made) : keysOf(made);
      if (unused.length > 0) await queue.enqueue(trx, 'relation-exports.discard', { keys: unused });
      await job.finish(trx);
    });
  } catch (error) {
    const keys = keysOf(made);
    if (keys.length > 0) await db.write((trx) => queue.enqueue(trx, 'relation-exports.discard', { keys }));
    // The server stops, or will try again: whoever asks meanwhile is told that it goes on.
    if (job.signal.aborted || job.attempt < job.maxAttempts) throw error;
    log.error({ err: error, project: projectId, relation }, 'a relation could not be exported');
    const said = scrubUrl(error instanceof Error ? error.message : String(error)).slice(0, 1000);
    await db.write((trx) => store.endRelation(trx, row, { status: 'failed', error: said }));
  }
}

type MadeFile = Omit<NewRelationFile, 'export_id'>;
const keysOf = (files: readonly MadeFile[]) => files.map(({ storage_key }) => storage_key);

async function makeFiles(
  services: Services,
  project: Project,
  { relation, batched }: RelationExportRow,
  signal: AbortSignal,
  made: MadeFile[],
): Promise<void> {
  const folder = join(services.config.data, 'tmp', 'exports', randomUUID());
  const making = { services, project, description: null, folder, signal };
  try {
    for await (const { filename, batch, bytes, count } of filesOfRelation(making, relation, batched === 1)) {
      const storage_key = `exports/${project.id}/relations/${randomUUID()}`;
      await services.storage.put(storage_key, bytes);
      const updated_at = Date.now();
      made.push({ batch_number: batch, objects_count: count(), storage_key, filename, updated_at });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Forgets what was made so long ago that nobody fetches it. */
export async function expireRelations({ db, queue }: Services, now: number): Promise<void> {
  for (;;) {
    const old = await store.exportsBefore(db.read, now - keptMs);
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
