import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'pages.delete-files': Record<string, never>;
  }
}

const batchSize = 200;
/** Gives downloads from a replaced site time to finish. */
const graceMs = 60_000;

/** Schedules the removal of archives of removed sites, with a delay. */
export async function removeFilesSoon({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'pages.delete-files', {}, { dedupeKey: 'all', runAt: Date.now() + graceMs });
}

/** Removes the sites of a deleted project. */
export async function removeWithProject(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
): Promise<void> {
  await store.deleteDeployments(trx, { projectId: project.id });
  await removeFilesSoon(services, trx);
}

/** Removes the prefixed sites published by the pipelines of a merge request. */
export async function removeOfRequest(
  services: Services,
  trx: Writer,
  requestId: number,
  projectIds: readonly number[],
): Promise<void> {
  if (services.config.pagesDomain === undefined) return;
  const taken = await store.deleteDeployments(trx, { requestId, projectIds });
  if (taken > 0) await removeFilesSoon(services, trx);
}

/** Removes expired sites. */
export async function removeExpired(services: Services): Promise<void> {
  await services.db.write(async (trx) => {
    if ((await store.deleteDeployments(trx, { expiredAt: Date.now() })) > 0) await removeFilesSoon(services, trx);
  });
}

export async function removeFiles({ db, storage }: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const keys = await store.filesToDelete(db.read, batchSize);
    if (keys.length === 0) return;
    for (const key of keys) await storage.delete(key);
    await db.write((trx) => store.forgetFiles(trx, keys));
  }
}
