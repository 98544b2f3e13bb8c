import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import { findProject, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { storedRecord, storedStringMap } from '../../platform/stored-json.ts';
import { RateLimited } from '../host-client/public.ts';
import { ImportFailed, isFinal, reasonOf } from './failures.ts';
import { ImportEnded, ImportRun, type ImportSource, type ImportStage } from './run.ts';
import { endImport, purpose } from './service.ts';
import * as store from './store.ts';
import type { ProjectImportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'imports.run': { projectId: number };
  }
}

const hour = 60 * 60_000;
/** Registers the background jobs of imports. */
export function importJobs(services: Services): void {
  services.queue.recurring('imports.expire', { everyMs: hour }, () => endStuckImports(services, Date.now()));
  services.queue.defineJob('imports.run', (job) => runImport(services, job), {
    timeoutMs: 24 * hour,
    maxAttempts: 100,
    concurrency: 4,
  });
}

/** An import without progress for this long that is not waiting is no longer being processed. */
const stuckMs = 24 * hour;

/** Ends stuck imports, so that their credentials are erased. */
export async function endStuckImports(services: Services, now: number): Promise<void> {
  for (;;) {
    const stuck = await store.importsBefore(services.db.read, now - stuckMs);
    if (stuck.length === 0) return;
    for (const { project_id } of stuck) {
      const seconds = stuckMs / 1000;
      await endImport(services, project_id, 'failed', `Import timed out. Import took longer than ${seconds} seconds`);
    }
  }
}

async function runImport(services: Services, job: Job<{ readonly projectId: number }>): Promise<void> {
  const { projectId } = job.payload;
  const row = await store.findImport(services.db.read, projectId);
  if (!row || row.encrypted_data === null) return;
  const source = services.contributions('imports.source').find(({ type }) => type === row.import_type);
  if (!source) throw new Error(`unknown import type ${row.import_type}`);
  try {
    await runStages(services, source, row, job);
  } catch (error) {
    if (error instanceof ImportEnded || job.signal.aborted) {
      if (job.signal.aborted) throw error;
      return;
    }
    if (error instanceof RateLimited) {
      // An import that waits for a rate limit is not stuck.
      const progress_at = Date.now() + error.waitMs;
      await services.db.write((trx) => store.updateImport(trx, projectId, { progress_at }));
      throw new RunAgain(error.waitMs);
    }
    await afterFailure(services, source, projectId, error);
  }
}

interface ActiveImport {
  readonly services: Services;
  readonly source: ImportSource;
  readonly job: Job<unknown>;
}

async function runStages(
  services: Services,
  source: ImportSource,
  row: ProjectImportRow,
  job: Job<unknown>,
): Promise<void> {
  const started = await services.db.write((trx) =>
    updateRepositoryColumns(trx, row.project_id, { import_status: 'started', import_error: null }),
  );
  if (!started) return;
  const done = source.stages.findIndex(({ name }) => name === row.stage);
  let cursors = storedStringMap(row.cursors);
  for (const stage of source.stages.slice(done + 1)) {
    await runStage({ services, source, job }, row, stage, cursors);
    cursors = {};
  }
  await endImport(services, row.project_id, 'finished', null);
}

async function runStage(
  { services, job }: ActiveImport,
  row: ProjectImportRow,
  stage: ImportStage,
  cursors: Record<string, string>,
): Promise<void> {
  const { db, encryption } = services;
  const project = await findProject(db.read, row.project_id);
  const namespace = project && (await lookUpNamespace(db.read, String(project.namespace_id)));
  if (!project || !namespace) throw new ImportEnded('the project no longer exists');
  const options = storedRecord(encryption.decrypt(row.encrypted_data ?? '', purpose));
  const place = { project, namespace, userId: row.user_id, type: row.import_type, source: row.import_source };
  await stage.run(new ImportRun(services, place, options, cursors, job.signal));
  fault(`import.stage.${stage.name}`);
  const columns = { stage: stage.name, cursors: '{}', failures: 0, progress_at: Date.now() };
  if (!(await db.write((trx) => store.updateImport(trx, row.project_id, columns)))) {
    throw new ImportEnded('the import has ended');
  }
}

/** Retries with exponential backoff; in the end the import fails, or continues without the stage. */
async function afterFailure(
  services: Services,
  source: ImportSource,
  projectId: number,
  error: unknown,
): Promise<void> {
  const { db, log } = services;
  const row = await store.findImport(db.read, projectId);
  if (!row || row.encrypted_data === null) return;
  log.warn({ err: error, project: projectId, type: row.import_type }, 'failed to run an import stage');
  const failures = row.failures + 1;
  const final = isFinal(error, failures);
  if (!final) {
    await db.write((trx) => store.updateImport(trx, projectId, { failures }));
    throw new RunAgain(1000 * 2 ** (failures - 1));
  }
  const next = nextStage(services, source, row);
  if (next === undefined || error instanceof ImportFailed) {
    await endImport(services, projectId, 'failed', reasonOf(error));
    return;
  }
  await db.write(async (trx) => {
    await store.updateImport(trx, projectId, { stage: next, cursors: '{}', failures: 0 });
    await store.insertFailure(trx, {
      project_id: projectId,
      relation_name: next,
      source: row.import_source,
      exception_class: error instanceof Error ? error.name : 'Error',
      exception_message: reasonOf(error),
    });
  });
  throw new RunAgain(0);
}

// Without the repository, the remaining stages make no sense.
function nextStage({ encryption }: Services, source: ImportSource, row: ProjectImportRow): string | undefined {
  const { timeout_strategy } = storedRecord(encryption.decrypt(row.encrypted_data ?? '', purpose));
  const failed = source.stages[source.stages.findIndex(({ name }) => name === row.stage) + 1];
  return timeout_strategy === 'optimistic' && row.stage !== '' ? failed?.name : undefined;
}
