import type { Services } from '../../../../access/services.ts';
import type { Writer } from '../../../../platform/database/database.ts';
import type { DeletionScope } from '../../store.ts';
import * as store from './store.ts';

declare module '../../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Something in the release of a distribution has changed. */
    'packages.release-debian': { distributionId: number };
  }
}

/** Enqueues new releases of distributions, and of those of groups above that list the same packages. */
export async function releaseSoon({ queue }: Services, trx: Writer, ids: readonly number[]): Promise<void> {
  for (const id of await store.bumpRevisions(trx, ids)) {
    await queue.enqueue(trx, 'packages.release-debian', { distributionId: id }, { dedupeKey: `${id}` });
  }
}

/** Enqueues new releases without files that are about to be deleted. */
export async function releaseWithout(services: Services, trx: Writer, which: DeletionScope): Promise<void> {
  await releaseSoon(services, trx, await store.distributionsListing(trx, which));
}

const halfDay = 12 * 60 * 60 * 1000;
const batchSize = 500;

/** Renews releases before they expire: clients reject them afterwards, even if nothing has changed. */
export async function renewExpiring(services: Services): Promise<void> {
  await services.db.write(async (trx) => {
    await releaseSoon(services, trx, await store.expiringBefore(trx, Date.now() + halfDay, batchSize));
  });
}

/** Updates the releases of groups after the visibility or place of a project changed. */
export async function followProject(
  services: Services,
  trx: Writer,
  { project, from }: { readonly project: { readonly id: number }; readonly from?: { readonly id: number } },
): Promise<void> {
  const ids = await store.distributionsWithin(trx, { projectId: project.id });
  if (ids.length === 0) return;
  await releaseSoon(services, trx, ids);
  if (from) await releaseSoon(services, trx, await store.groupDistributions(trx, from.id));
}

/** Updates the releases of groups above and below after the visibility or place of a group changed. */
export async function followGroup(
  services: Services,
  trx: Writer,
  { group, lost = [] }: { readonly group: { readonly id: number }; readonly lost?: readonly number[] },
): Promise<void> {
  await releaseSoon(services, trx, await store.distributionsWithin(trx, { namespaceId: group.id }));
  for (const id of [group.id, ...lost]) await releaseSoon(services, trx, await store.groupDistributions(trx, id));
}
