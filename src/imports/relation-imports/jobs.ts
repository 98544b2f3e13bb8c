import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { archiveStages, clearFolder } from '../project-archives/public.ts';
import { forgetObjects, ImportEnded, isFinal } from '../project-imports/public.ts';
import { archiveFolderName, RelationRun } from './run.ts';
import * as store from './store.ts';
import type { ImportedRelation, RelationImportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'relation-imports.run': { importId: number };
    /** Deletes the archive of an import that has ended or never started, and the unpacked files. */
    'relation-imports.clear': { key: string; importId?: number };
  }
}

const hour = 60 * 60_000;
/** An import without progress for this long is no longer being processed. */
const stuckMs = 24 * hour;

const stageNames: Readonly<Record<ImportedRelation, string>> = {
  issues: 'issues',
  merge_requests: 'merge_requests',
  ci_pipelines: 'pipelines',
  milestones: 'milestones',
};

export function relationImportJobs(services: Services): void {
  const { queue, storage, db } = services;
  queue.defineJob('relation-imports.run', (job) => runImport(services, job), {
    timeoutMs: 12 * hour,
    maxAttempts: 100,
    concurrency: 2,
  });
  queue.defineJob('relation-imports.clear', async ({ payload: { key, importId } }) => {
    if (await store.isInUse(db.read, key)) return;
    await storage.delete(key);
    if (importId !== undefined) await clearFolder(services, archiveFolderName(importId));
  });
  queue.recurring('relation-imports.expire', { everyMs: hour }, () => endStale(services, Date.now()));
}

async function runImport(services: Services, job: Job<{ readonly importId: number }>): Promise<void> {
  const { importId } = job.payload;
  const row = await store.findImport(services.db.read, importId);
  if (!row || row.storage_key === null) return;
  try {
    await runStage(services, row, job.signal);
    await endImport(services, row, 'finished');
  } catch (error) {
    if (job.signal.aborted) throw error;
    // A concurrent attempt may have unpacked it again after it was cleared.
    if (error instanceof ImportEnded) await clearFolder(services, archiveFolderName(importId));
    else await afterFailure(services, importId, error);
  }
}

async function runStage(services: Services, row: RelationImportRow, signal: AbortSignal): Promise<void> {
  const { db } = services;
  const project = await findProject(db.read, row.project_id);
  const namespace = project && (await lookUpNamespace(db.read, String(project.namespace_id)));
  const started = await db.write((trx) => store.updateImport(trx, row.id, { status: 'started' }));
  if (!namespace || !started) throw new ImportEnded('the import has ended');
  const stage = archiveStages.find(({ name }) => name === stageNames[row.relation]);
  await stage?.run(new RelationRun(services, row, { project, namespace }, signal));
}

/** Retries with exponential backoff; in the end the import fails. */
async function afterFailure(services: Services, importId: number, error: unknown): Promise<void> {
  const { db, log } = services;
  const row = await store.findImport(db.read, importId);
  if (!row || row.storage_key === null) return;
  log.warn({ err: error, project: row.project_id, relation: row.relation }, 'failed to import a relation');
  const failures = row.failures + 1;
  if (isFinal(error, failures)) return endImport(services, row, 'failed');
  await db.write((trx) => store.updateImport(trx, importId, { failures }));
  throw new RunAgain(1000 * 2 ** (failures - 1));
}

/** Ends an import and deletes its archive. Imported content is kept. */
async function endImport(
  { db, queue }: Services,
  { id, project_id, storage_key }: RelationImportRow,
  status: 'finished' | 'failed' | 'stale',
): Promise<void> {
  await db.write(async (trx) => {
    const over = { status, storage_key: null, cursors: '{}' };
    if (storage_key === null || !(await store.updateImport(trx, id, over))) return;
    await forgetObjects(trx, project_id);
    await queue.enqueue(trx, 'relation-imports.clear', { key: storage_key, importId: id });
  });
}

/** Ends stuck imports. */
export async function endStale(services: Services, now: number): Promise<void> {
  for (;;) {
    const stale = await store.importsBefore(services.db.read, now - stuckMs);
    if (stale.length === 0) return;
    for (const row of stale) await endImport(services, row, 'stale');
  }
}
