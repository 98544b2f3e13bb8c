import type { Services } from '../../access/services.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { RateLimited } from '../host-client/public.ts';
import { cancelImport, ImportEnded, isFinal, projectProblem } from '../project-imports/public.ts';
import { endEntity } from './ending.ts';
import { clearFolder, groupStages } from './group/stages.ts';
import { projectStages } from './project/begin.ts';
import * as store from './store.ts';
import type { BulkImportRow, EntityRow } from './tables.ts';
import { TransferRun } from './transfer-run.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'bulk-imports.entity': { entityId: number };
    'bulk-imports.cancel': { bulkImportId: number };
  }
}

const hour = 60 * 60_000;
/** An entity without progress for this long is no longer being processed. */
const stuckMs = 24 * hour;

export function transferJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('bulk-imports.entity', (job) => runEntity(services, job), {
    timeoutMs: 12 * hour,
    maxAttempts: 100,
    concurrency: 4,
  });
  queue.defineJob('bulk-imports.cancel', ({ payload }) => cancelProjects(services, payload.bulkImportId));
  queue.recurring('bulk-imports.expire', { everyMs: hour }, () => endStuckEntities(services, Date.now()));
}

async function runEntity(services: Services, job: Job<{ readonly entityId: number }>): Promise<void> {
  const { db } = services;
  const { entityId } = job.payload;
  try {
    for (;;) {
      const entity = await store.findEntity(db.read, entityId);
      const bulkImport = entity && (await store.findBulkImport(db.read, entity.bulk_import_id));
      if (!entity || !bulkImport || !isRunning(entity, bulkImport)) break;
      if (entity.status === 'created') await begin(services, entity);
      const stages = entity.entity_type === 'group' ? groupStages : projectStages;
      const stage = stages[stages.findIndex(({ name }) => name === entity.stage) + 1];
      if (!stage) {
        if (entity.entity_type === 'group') await db.write((trx) => endEntity(trx, entity, 'finished'));
        break;
      }
      await stage.run(new TransferRun(services, bulkImport, entity, job.signal));
      fault(`transfer.stage.${stage.name}`);
      const columns = { stage: stage.name, cursors: '{}', failures: 0 };
      if (!(await db.write((trx) => store.updateEntity(trx, entityId, columns)))) break;
    }
  } catch (error) {
    if (job.signal.aborted) throw error;
    if (!(error instanceof ImportEnded)) await afterFailure(services, entityId, error);
  }
  await clearFolder(services, entityId);
}

function isRunning(
  entity: EntityRow,
  bulkImport: BulkImportRow,
): bulkImport is BulkImportRow & { readonly encrypted_data: string } {
  return bulkImport.encrypted_data !== null && (entity.status === 'created' || entity.status === 'started');
}

async function begin({ db }: Services, entity: EntityRow): Promise<void> {
  await db.write(async (trx) => {
    await store.updateEntity(trx, entity.id, { status: 'started' });
    await store.updateBulkImport(trx, entity.bulk_import_id, { status: 'started' });
  });
}

/** Retries with exponential backoff; in the end the entity fails. */
async function afterFailure(services: Services, entityId: number, error: unknown): Promise<void> {
  const { db, log } = services;
  if (error instanceof RateLimited) {
    await db.write((trx) => store.updateEntity(trx, entityId, {}));
    throw new RunAgain(error.waitMs);
  }
  const entity = await store.findEntity(db.read, entityId);
  if (!entity) return;
  log.warn({ err: error, entity: entityId }, 'failed to process an entity of a bulk import');
  const failures = entity.failures + 1;
  if (!(error instanceof HttpError) && !isFinal(error, failures)) {
    await db.write((trx) => store.updateEntity(trx, entityId, { failures }));
    throw new RunAgain(1000 * 2 ** (failures - 1));
  }
  const problem = projectProblem(error);
  const failure = problem === undefined ? error : new Error(problem);
  await db.write(async (trx) => {
    await endEntity(trx, entity, 'failed');
    await store.insertFailures(trx, entity, [
      {
        relation: entity.entity_type,
        source_title: entity.source_full_path,
        exception_class: error instanceof Error ? error.name : 'Error',
        exception_message: failure instanceof Error ? failure.message.slice(0, 2000) : String(failure),
      },
    ]);
  });
}

async function cancelProjects(services: Services, bulkImportId: number): Promise<void> {
  for (let after = 0; ; ) {
    const some = await store.projectsAfter(services.db.read, bulkImportId, after);
    const last = some.at(-1);
    if (!last) return;
    for (const { project_id } of some) {
      const project = project_id === null ? undefined : await findProject(services.db.read, project_id);
      if (project) {
        await cancelImport(services, project).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        });
      }
    }
    after = last.id;
  }
}

/** Ends stuck entities, so that the access token is erased. */
export async function endStuckEntities({ db }: Services, now: number): Promise<void> {
  for (;;) {
    const stuck = await store.entitiesBefore(db.read, now - stuckMs);
    if (stuck.length === 0) return;
    for (const entity of stuck) await db.write((trx) => endEntity(trx, entity, 'timeout'));
  }
}
