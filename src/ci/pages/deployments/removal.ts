import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'pages.delete-files': Record<string, never>;
  }
}

const atOnce = 200;
/** Whoever is being sent a file of a site that was replaced gets all of it. */
const grace = 60_000;

/** Has the archives removed whose sites are gone, a while after the transaction. */
export async function removeFilesSoon({ queue }: Services, trx: Writer): Promise<void> {
  await queue.enqueue(trx, 'pages.delete-files', {}, { dedupeKey: 'all', runAt: Date.now() + grace });
}

/** A project takes its sites along. */
export async function removeWithProject(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
): Promise<void> {
  await store.deleteDeployments(trx, { projectId: project.id });
  await removeFilesSoon(services, trx);
}

/** Takes down what the pipelines of a merge request have published beside the main sites of its projects. */
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

/** Takes down what was published for a time that is over. */
export async function removeExpired(services: Services): Promise<void> {
  await services.db.write(async (trx) => {
    if ((await store.deleteDeployments(trx, { expiredAt: Date.now() })) > 0) await removeFilesSoon(services, trx);
  });
}

export async function removeFiles({ db, storage }: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const keys = await store.filesToDelete(db.read, atOnce);
    if (keys.length === 0) return;
    for (const key of keys) await storage.delete(key);
    await db.write((trx) => store.forgetFiles(trx, keys));
  }
}
