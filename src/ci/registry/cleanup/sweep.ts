import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { dropUploadsOfProject } from '../distribution/store.ts';
import { removeDueFiles, removeFilesSoon } from './files.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60 * 1000;
const batchSize = 500;

/**
 * Garbage collection: removes abandoned uploads, untagged manifests, project blobs without a manifest, and blobs
 * without a project. Anything touched within a day is kept, because it may belong to a push whose manifest has not
 * arrived yet.
 */
export async function sweepRegistry(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const { db } = services;
  const before = now - day;
  const isAborted = () => signal?.aborted === true;
  // Child manifests of a deleted index are removed in a later iteration.
  while (!isAborted() && (await db.write((trx) => store.endUploads(trx, before, batchSize))) > 0);
  while (!isAborted() && (await db.write((trx) => store.deleteUnusedManifests(trx, before, batchSize))) > 0);
  await sweepProjects(services, before, isAborted);
  await sweepBlobs(services, isAborted);
  if (!isAborted()) await removeDueFiles(services, signal);
}

async function sweepProjects({ db }: Services, before: number, isAborted: () => boolean): Promise<void> {
  for (let last = { project_id: 0, blob_id: 0 }; !isAborted(); ) {
    const links = await store.unusedLinks(db.read, { before, after: last }, batchSize);
    if (links.length > 0) await db.write((trx) => store.unlink(trx, links, before));
    const end = links.at(-1);
    if (!end || links.length < batchSize) return;
    last = end;
  }
}

async function sweepBlobs({ db }: Services, isAborted: () => boolean): Promise<void> {
  for (let last = 0; !isAborted(); ) {
    const ids = await store.unlinkedBlobs(db.read, last, batchSize);
    for (const id of ids) {
      await db
        .write((trx) => store.deleteBlob(trx, id))
        .catch((error: unknown) => {
          // The blob was pushed or mounted concurrently.
          if (!foreignKeyViolation(error)) throw error;
        });
      last = id;
    }
    if (ids.length < batchSize) return;
  }
}

export function sweepJobs(services: Services): void {
  services.queue.recurring('sweep-registry', { minute: 17, hour: 4 }, ({ signal }) => sweepRegistry(services, signal));
}

/** Schedules the removal of a project's upload files. Blobs without a project are removed by the next sweep. */
export async function removeWithProject(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
): Promise<void> {
  await dropUploadsOfProject(trx, project.id);
  await removeFilesSoon(services, trx);
}
