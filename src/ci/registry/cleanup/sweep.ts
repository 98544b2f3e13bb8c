import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { dropUploadsOfProject } from '../distribution/store.ts';
import { removeDueFiles, removeFilesSoon } from './files.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60 * 1000;
const atOnce = 500;

/**
 * Removes what nothing needs any more: uploads that nobody goes on with, manifests without a tag, the blobs that no
 * manifest of a project is made of, and the bytes that no project has. Whatever somebody touched within a day stays:
 * it may be part of a push whose manifest is still to come.
 */
export async function sweepRegistry(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const { db } = services;
  const before = now - day;
  const ended = () => signal?.aborted === true;
  // The ones that a list was made of can go once it is gone, in another turn.
  while (!ended() && (await db.write((trx) => store.endUploads(trx, before, atOnce))) > 0);
  while (!ended() && (await db.write((trx) => store.deleteUnusedManifests(trx, before, atOnce))) > 0);
  await sweepProjects(services, before, ended);
  await sweepBlobs(services, ended);
  if (!ended()) await removeDueFiles(services, signal);
}

async function sweepProjects({ db }: Services, before: number, ended: () => boolean): Promise<void> {
  for (let last = { project_id: 0, blob_id: 0 }; !ended(); ) {
    const links = await store.unusedLinks(db.read, { before, after: last }, atOnce);
    if (links.length > 0) await db.write((trx) => store.unlink(trx, links, before));
    const end = links.at(-1);
    if (!end || links.length < atOnce) return;
    last = end;
  }
}

async function sweepBlobs({ db }: Services, ended: () => boolean): Promise<void> {
  for (let last = 0; !ended(); ) {
    const ids = await store.unlinkedBlobs(db.read, last, atOnce);
    for (const id of ids) {
      await db
        .write((trx) => store.deleteBlob(trx, id))
        .catch((error: unknown) => {
          // Somebody has just sent it again, or taken it over.
          if (!foreignKeyViolation(error)) throw error;
        });
      last = id;
    }
    if (ids.length < atOnce) return;
  }
}

export function sweepJobs(services: Services): void {
  services.queue.recurring('sweep-registry', { minute: 17, hour: 4 }, ({ signal }) => sweepRegistry(services, signal));
}

/** A project takes its images along; the bytes that no other has are swept away after. */
export async function removeWithProject(
  services: Services,
  trx: Writer,
  { project }: { readonly project: { readonly id: number } },
): Promise<void> {
  await dropUploadsOfProject(trx, project.id);
  await removeFilesSoon(services, trx);
}
