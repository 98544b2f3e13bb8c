import { rm } from 'node:fs/promises';
import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { ImportEnded, isFinal, reasonOf } from '../project-imports/public.ts';
import { FileRun, folderOf, openArchive } from './file-run.ts';
import { groupsIn } from './files.ts';
import { createGroupOf, fileStages } from './stages.ts';
import * as store from './store.ts';
import type { GroupImportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'group-archives.run': { groupId: number };
    /** Deletes the archive of an import that has ended or never started, and the unpacked files. */
    'group-archives.clear': { key: string; groupId?: number };
  }
}

const hour = 60 * 60_000;
/** An import without progress for this long is no longer being processed. */
const stuckMs = 24 * hour;

export function groupArchiveJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('group-archives.run', (job) => runImport(services, job), {
    timeoutMs: 12 * hour,
    maxAttempts: 100,
    concurrency: 2,
  });
  queue.defineJob('group-archives.clear', async ({ payload: { key, groupId } }) => {
    if (await store.isInUse(services.db.read, key)) return;
    await services.storage.delete(key);
    if (groupId !== undefined) await rm(folderOf(services, groupId), { recursive: true, force: true });
  });
  queue.recurring('group-archives.expire', { everyMs: hour }, () => endStuckImports(services, Date.now()));
}

async function runImport(services: Services, job: Job<{ readonly groupId: number }>): Promise<void> {
  const { groupId } = job.payload;
  try {
    for (;;) {
      const row = await store.findImport(services.db.read, groupId);
      if (!row || row.storage_key === null) return;
      if (!(await oneStep(services, row, job.signal))) return;
    }
  } catch (error) {
    if (job.signal.aborted) throw error;
    // A concurrent attempt may have unpacked it again after it was cleared.
    if (error instanceof ImportEnded) await rm(folderOf(services, groupId), { recursive: true, force: true });
    else await afterFailure(services, groupId, error);
  }
}

/** Runs the next stage of the current group. Returns false after the last stage of the last group. */
async function oneStep(services: Services, row: GroupImportRow, signal: AbortSignal): Promise<boolean> {
  const folder = await openArchive(services, row, signal);
  const groups = await groupsIn(folder);
  const sourceId = groups[row.position];
  if (sourceId === undefined) {
    await endImport(services, row, 'finished', null);
    return false;
  }
  const run = new FileRun(services, row, folder, sourceId, signal);
  const step = (columns: Parameters<typeof store.updateImport>[2]) =>
    services.db.write(async (trx) => {
      const next = { status: 'started' as const, cursors: '{}', failures: 0, ...columns };
      if (!(await store.updateImport(trx, row.namespace_id, next))) throw new ImportEnded('the import has ended');
    });
  if (!(await ensureGroup(run, row))) {
    // Descendants are skipped as well, because their parent is missing.
    await step({ stage: '', position: row.position + 1 });
    return true;
  }
  const stage = fileStages[fileStages.findIndex(({ name }) => name === row.stage) + 1];
  await stage?.run(run);
  fault(`group-import.stage.${stage?.name}`);
  await step(stage ? { stage: stage.name } : { stage: '', position: row.position + 1 });
  return true;
}

/** Whether the current group exists or can be created. The root group was created when the archive was uploaded. */
async function ensureGroup(run: FileRun, { namespace_id, position, stage }: GroupImportRow): Promise<boolean> {
  const { db } = run.services;
  if ((await store.groupOf(db.read, namespace_id, run.sourceId)) !== undefined) return true;
  if (stage !== '') return false;
  if (position > 0) return createGroupOf(run);
  await db.write((trx) => store.noteGroup(trx, namespace_id, run.sourceId, namespace_id));
  return true;
}

/** Retries with exponential backoff; in the end the import fails. */
async function afterFailure(services: Services, groupId: number, error: unknown): Promise<void> {
  const { db, log } = services;
  const row = await store.findImport(db.read, groupId);
  if (!row || row.storage_key === null) return;
  log.warn({ err: error, group: groupId }, 'failed to import a group');
  const failures = row.failures + 1;
  if (isFinal(error, failures)) return endImport(services, row, 'failed', reasonOf(error));
  await db.write((trx) => store.updateImport(trx, groupId, { failures }));
  throw new RunAgain(1000 * 2 ** (failures - 1));
}

/** Ends an import and deletes its archive. Imported content is kept. */
async function endImport(
  { db, queue }: Services,
  { namespace_id, storage_key }: GroupImportRow,
  status: 'finished' | 'failed',
  error: string | null,
): Promise<void> {
  await db.write(async (trx) => {
    const over = { status, error, storage_key: null, cursors: '{}' };
    if (storage_key === null || !(await store.updateImport(trx, namespace_id, over))) return;
    await store.forgetGroups(trx, namespace_id);
    await queue.enqueue(trx, 'group-archives.clear', { key: storage_key, groupId: namespace_id });
  });
}

/** Ends stuck imports. */
export async function endStuckImports(services: Services, now: number): Promise<void> {
  for (;;) {
    const stuck = await store.importsBefore(services.db.read, now - stuckMs);
    if (stuck.length === 0) return;
    const message = `Import timed out. Import took longer than ${stuckMs / 1000} seconds`;
    for (const row of stuck) await endImport(services, row, 'failed', message);
  }
}
