import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import { nextInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { insertMilestone, milestonesNamed } from './store.ts';
import type { MilestoneRow } from './tables.ts';

/** Returns the milestone with the same title in the project or its ancestor groups, otherwise a copy in the project. */
export async function findOrCopyMilestone(
  trx: Writer,
  project_id: number,
  line: readonly number[],
  { id: _, ...milestone }: MilestoneRow,
): Promise<Pick<MilestoneRow, 'id' | 'due_date'>> {
  const near = (await milestonesNamed(trx, project_id, line, [milestone.title])).get(milestone.title);
  if (near) return near;
  const iid = await nextInternalId(trx, { project_id }, 'milestones');
  return insertMilestone(trx, { ...milestone, iid, project_id, namespace_id: null });
}

/**
 * After a transfer, a project loses the milestones of its former groups. Its items get the milestones with the same
 * titles at the new location, or copies.
 */
export function milestoneTransfer(table: 'issues' | 'merge_requests') {
  function leftBehind(trx: Writer, projectId: number, line: readonly number[]): Promise<MilestoneRow[]> {
    const used = trx.selectFrom(table).select('milestone_id').where('project_id', '=', projectId);
    const foreign = trx
      .selectFrom('milestones')
      .selectAll()
      .where('namespace_id', 'is not', null)
      .where('id', 'in', used.where('milestone_id', 'is not', null))
      .orderBy('id');
    return (line.length === 0 ? foreign : foreign.where('namespace_id', 'not in', line)).execute();
  }

  return async (_services: Services, trx: Writer, { project, to }: DomainEvents['project.uprooted']) => {
    const line = to.kind === 'group' ? await selfAndAncestorIds(trx, to.id) : [];
    const left = await leftBehind(trx, project.id, line);
    if (left.length > 0) await acquireLock(trx, 'titles of milestones');
    for (const milestone of left) {
      const into = await findOrCopyMilestone(trx, project.id, line, milestone);
      await trx
        .updateTable(table)
        .set({ milestone_id: into.id, milestone_due_date: into.due_date })
        .where('project_id', '=', project.id)
        .where('milestone_id', '=', milestone.id)
        .execute();
    }
  };
}
