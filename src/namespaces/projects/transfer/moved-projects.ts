import { lockNamespaceRow } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { endRolesOf } from '../sharing/store.ts';
import { projectsBelow } from './moved-projects-store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The ancestors of the projects of a moved group changed. */
    'projects.uprooted': { groupId: number; lost?: readonly number[] };
  }
}

const atOnce = 100;

/**
 * Ends the roles that projects of a moved group lost at once, and announces the change for each of them in the
 * background, because there may be thousands.
 */
export async function followMovedGroup(
  { queue }: Services,
  trx: Writer,
  { group, lost }: Pick<DomainEvents['group.transferred'], 'group' | 'lost'>,
): Promise<void> {
  await endRolesOf(trx, lost, { group: group.id });
  const dedupeKey = [group.id, ...lost].join(' ');
  await queue.enqueue(trx, 'projects.uprooted', { groupId: group.id, lost }, { dedupeKey });
}

export function movedProjectJobs(services: Services): void {
  services.queue.defineJob('projects.uprooted', async ({ payload, signal }) => {
    for (let last = 0; ; ) {
      const ids = await projectsBelow(services.db.read, payload.groupId, last, atOnce);
      if (ids.length === 0) return;
      for (const id of ids) {
        signal.throwIfAborted();
        await services.db.write((trx) => announceUprooted(services, trx, id, payload.lost ?? []));
      }
      last = ids.at(-1) ?? last;
    }
  });
}

/** Announcing twice has no effect, so an interrupted job can start again. */
async function announceUprooted(
  { announce }: Services,
  trx: Writer,
  id: number,
  lost: readonly number[],
): Promise<void> {
  const project = await lockRow(trx, 'projects', id);
  const to = project && (await lockNamespaceRow(trx, project.namespace_id));
  if (to) await announce(trx, 'project.uprooted', { project, to, lost });
}
