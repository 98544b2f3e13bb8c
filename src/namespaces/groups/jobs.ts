import { sql } from 'kysely';
import { deletionDelay } from '../../access/application-settings/effective.ts';
import { holdNamespace, holdTree } from '../../access/namespaces.ts';
import type { Services } from '../../access/services.ts';
import { discardAvatar } from '../../people/avatars/public.ts';
import { forgetAttributes } from '../../people/custom-attributes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { foreignKeyViolation } from '../../platform/database/errors.ts';
import { RunAgain } from '../../platform/queue/job.ts';
import { deleteProject } from '../projects/public.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A group that is marked for deletion, with everything in it. */
    'groups.remove': { groupId: number };
  }
}

const hour = 60 * 60 * 1000;

/** The background work of groups. */
export function groupJobs(services: Services): void {
  const { queue, db, config } = services;
  queue.defineJob('groups.remove', ({ payload, signal }) => removeGroup(services, payload.groupId, signal), {
    timeoutMs: 2 * hour,
  });
  queue.recurring('groups.remove-marked', { everyMs: hour }, async () => {
    const delay = deletionDelay(config, await services.settings.read());
    const due = await db.read
      .selectFrom('namespaces')
      .select('id')
      .where('marked_for_deletion_at', '<=', Date.now() - delay)
      .execute();
    for (const { id } of due) {
      await db.write((trx) => queue.enqueue(trx, 'groups.remove', { groupId: id }, { dedupeKey: `${id}` }));
    }
  });
  queue.recurring('groups.expired-shares', { everyMs: hour }, async () => {
    await db.write(async (trx) => {
      await trx.deleteFrom('group_shares').where('expires_at', '<=', Date.now()).execute();
      await trx.deleteFrom('project_shares').where('expires_at', '<=', Date.now()).execute();
    });
  });
}

/** Removes the projects one by one, then the groups; what a crash leaves is found again by the next attempt. */
async function removeGroup(services: Services, id: number, signal: AbortSignal): Promise<void> {
  const { db } = services;
  while (await db.write((trx) => removeOneProject(services, trx, id))) signal.throwIfAborted();
  const pictures = await db
    .write((trx) => deleteTree(trx, id))
    .catch((error: unknown) => {
      // A project came in since the last one was removed.
      throw foreignKeyViolation(error) ? new RunAgain(0) : error;
    });
  for (const { avatar } of pictures) await discardAvatar(services, avatar);
}

const below = (id: number) => sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;

/** Is the group still marked? Held until the transaction ends: restoring it waits, or stops the removal. */
async function isMarked(trx: Writer, id: number): Promise<boolean> {
  const group = await holdNamespace(trx, id);
  return group !== undefined && group.marked_for_deletion_at !== null;
}

async function removeOneProject(services: Services, trx: Writer, id: number): Promise<boolean> {
  if (!(await isMarked(trx, id))) return false;
  const project = await trx
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', 'in', below(id))
    .limit(1)
    .executeTakeFirst();
  if (project) await deleteProject(services, trx, project);
  return project !== undefined;
}

/** Deletes a group and those below it; returns the pictures that they had. */
async function deleteTree(trx: Writer, id: number): Promise<{ avatar: string | null }[]> {
  await holdTree(trx);
  if (!(await isMarked(trx, id))) return [];
  const groups = trx.selectFrom('namespaces').select('avatar').where('id', 'in', below(id));
  const pictures = await groups.where('avatar', 'is not', null).execute();
  await forgetAttributes(trx, 'group', below(id));
  await trx.deleteFrom('users').where('bot_namespace_id', 'in', below(id)).where('kind', '=', 'project_bot').execute();
  // One statement: a group and its parent refer to each other's row until both are gone.
  await trx.deleteFrom('namespaces').where('id', 'in', below(id)).execute();
  return pictures;
}
