import { sql } from 'kysely';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Services } from '../../platform/services.ts';
import { discardAvatar } from '../avatars/service.ts';
import { forgetAttributes } from '../custom-attributes/service.ts';
import { deleteProject } from '../projects/service.ts';

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
    const due = await db.read
      .selectFrom('namespaces')
      .select('id')
      .where('marked_for_deletion_at', '<=', Date.now() - config.deletionDelay)
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
  const group = await lookUpNamespace(db.read, String(id));
  // Restored in the meantime.
  if (!group || group.marked_for_deletion_at === null) return;
  const below = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;
  for (;;) {
    signal.throwIfAborted();
    const project = await db.read
      .selectFrom('projects')
      .selectAll()
      .where('namespace_id', 'in', below)
      .limit(1)
      .executeTakeFirst();
    if (!project) break;
    await db.write((trx) => deleteProject(services, trx, project));
  }
  const groups = await db.write((trx) => deleteTree(trx, id));
  for (const { avatar } of groups) await discardAvatar(services, avatar);
}

async function deleteTree(trx: Parameters<typeof forgetAttributes>[0], id: number): Promise<Namespace[]> {
  const groups = await trx
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`)
    .execute();
  const ids = groups.map((group) => group.id);
  if (ids.length === 0) return [];
  for (const each of ids) await forgetAttributes(trx, 'group', each);
  await trx.deleteFrom('users').where('bot_namespace_id', 'in', ids).where('kind', '=', 'project_bot').execute();
  // One statement: a group and its parent refer to each other's row until both are gone.
  await trx.deleteFrom('namespaces').where('id', 'in', ids).execute();
  return groups;
}
