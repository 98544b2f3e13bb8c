import { deletionDelay } from '../../../access/application-settings/effective.ts';
import { lockHierarchy, lockNamespaceRow } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { discardPicture } from '../../../people/avatars/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { RunAgain } from '../../../platform/queue/job.ts';
import { deleteProject, discardUploads } from '../../projects/public.ts';
import { removeSoon } from './service.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes a group marked for deletion, with everything in it. */
    'groups.remove': { groupId: number };
  }
}

const hour = 60 * 60 * 1000;

/** Deletes groups whose deletion delay has passed. */
export function removalJobs(services: Services): void {
  const { queue, db, config } = services;
  queue.defineJob('groups.remove', ({ payload, signal }) => removeGroup(services, payload.groupId, signal), {
    timeoutMs: 2 * hour,
  });
  queue.recurring('groups.remove-marked', { everyMs: hour }, async () => {
    const delay = deletionDelay(config, await services.settings.read());
    for (const id of await store.dueForDeletion(db.read, Date.now() - delay)) {
      await db.write((trx) => removeSoon(services, trx, id));
    }
  });
}

/** Deletes the projects one by one, then the groups. After a crash the next attempt continues with what remains. */
async function removeGroup(services: Services, id: number, signal: AbortSignal): Promise<void> {
  const { db } = services;
  while (await db.write((trx) => removeOneProject(services, trx, id))) signal.throwIfAborted();
  await db
    .write((trx) => removeTree(services, trx, id))
    .catch((error: unknown) => {
      // A project was added after the last one was deleted.
      throw foreignKeyViolation(error) ? new RunAgain(0) : error;
    });
  await discardUploads(services);
}

/**
 * Whether the group is still marked for deletion. Locks it until the transaction ends, so that a concurrent restore
 * either waits or prevents the deletion.
 */
async function isMarked(trx: Writer, id: number): Promise<boolean> {
  const group = await lockNamespaceRow(trx, id);
  return group !== undefined && group.marked_for_deletion_at !== null;
}

async function removeOneProject(services: Services, trx: Writer, id: number): Promise<boolean> {
  if (!(await isMarked(trx, id))) return false;
  const project = await store.someProjectIn(trx, id);
  if (project) await deleteProject(services, trx, project);
  return project !== undefined;
}

const batchSize = 100;

/** Deletes a group and its descendants after announcing each deletion. */
async function removeTree(services: Services, trx: Writer, id: number): Promise<void> {
  await lockHierarchy(trx);
  if (!(await isMarked(trx, id))) return;
  for (let after = 0; ; ) {
    const groups = await store.groupsInTree(trx, id, after, batchSize);
    for (const group of groups) {
      await services.announce(trx, 'group.removed', { group });
      await discardPicture(services, trx, group.avatar);
      after = group.id;
    }
    if (groups.length < batchSize) break;
  }
  await store.deleteTree(trx, id);
}
