import type { SelectQueryBuilder } from 'kysely';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { findOrCopyLabel, labelsById } from '../labels/public.ts';
import { findOrCopyMilestone, milestonesById } from '../milestones/public.ts';

/** A query for board IDs. */
type Boards = SelectQueryBuilder<Tables, 'boards', { id: number }>;

async function replaceLabel(trx: Writer, boards: readonly number[], from: number, to: number): Promise<void> {
  const known = trx.selectFrom('board_lists').select('board_id').where('label_id', '=', to);
  const lists = () => trx.deleteFrom('board_lists').where('board_id', 'in', boards).where('label_id', '=', from);
  await lists().where('board_id', 'in', known).execute();
  await trx
    .updateTable('board_lists')
    .set({ label_id: to })
    .where('board_id', 'in', boards)
    .where('label_id', '=', from)
    .execute();
  const narrowed = await trx
    .deleteFrom('board_labels')
    .where('board_id', 'in', boards)
    .where('label_id', '=', from)
    .returning('board_id')
    .execute();
  if (narrowed.length === 0) return;
  await trx
    .insertInto('board_labels')
    .values(narrowed.map(({ board_id }) => ({ board_id, label_id: to })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function replaceMilestone(trx: Writer, boards: readonly number[], from: number, to: number): Promise<void> {
  const change = { milestone_id: to };
  await trx.updateTable('boards').set(change).where('id', 'in', boards).where('milestone_id', '=', from).execute();
  const lists = trx.updateTable('board_lists').set(change).where('board_id', 'in', boards);
  await lists.where('milestone_id', '=', from).execute();
}

/** Labels and milestones of these groups that the boards use. */
async function usedOf(trx: Writer, boards: readonly number[], groups: readonly number[]) {
  const labels = await trx
    .selectFrom('labels')
    .select('id')
    .where('namespace_id', 'in', groups)
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('id', 'in', selectFrom('board_lists').select('label_id').where('board_id', 'in', boards)),
        eb('id', 'in', selectFrom('board_labels').select('label_id').where('board_id', 'in', boards)),
      ]),
    )
    .execute();
  const milestones = await trx
    .selectFrom('milestones')
    .select('id')
    .where('namespace_id', 'in', groups)
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('id', 'in', selectFrom('board_lists').select('milestone_id').where('board_id', 'in', boards)),
        eb('id', 'in', selectFrom('boards').select('milestone_id').where('id', 'in', boards)),
      ]),
    )
    .execute();
  return { labels: labels.map(({ id }) => id), milestones: milestones.map(({ id }) => id) };
}

/** Deletes the lists for iterations of these groups, because issues lose those iterations too. */
async function dropIterations(trx: Writer, boards: Boards, groups: readonly number[]): Promise<void> {
  const foreign = trx.selectFrom('iterations').select('id').where('namespace_id', 'in', groups);
  const lists = trx.deleteFrom('board_lists').where('iteration_id', 'in', foreign);
  await lists.where('board_id', 'in', boards).execute();
}

/**
 * After a transfer of a project or its group, project boards keep their lists: labels and milestones of former groups
 * are replaced as on issues.
 */
export async function updateBoardsAfterTransfer(
  _services: Services,
  trx: Writer,
  { project, to, lost }: DomainEvents['project.uprooted'],
): Promise<void> {
  if (lost.length === 0) return;
  const rows = await trx.selectFrom('boards').select('id').where('project_id', '=', project.id).execute();
  const boards = rows.map(({ id }) => id);
  if (boards.length === 0) return;
  await dropIterations(trx, trx.selectFrom('boards').select('id').where('project_id', '=', project.id), lost);
  const used = await usedOf(trx, boards, lost);
  const line = to.kind === 'group' ? await selfAndAncestorIds(trx, to.id) : [];
  for (const label of await labelsById(trx, used.labels)) {
    await replaceLabel(trx, boards, label.id, (await findOrCopyLabel(trx, project.id, line, label)).id);
  }
  if (used.milestones.length > 0) await acquireLock(trx, 'titles of milestones');
  for (const milestone of (await milestonesById(trx, used.milestones)).values()) {
    await replaceMilestone(trx, boards, milestone.id, (await findOrCopyMilestone(trx, project.id, line, milestone)).id);
  }
}

/**
 * After a transfer of a group, deletes lists and filters of its boards, and of those below it, that belong to groups
 * that are no longer ancestors.
 */
export async function deleteFormerGroupLists(trx: Writer, groupId: number, groups: readonly number[]): Promise<void> {
  if (groups.length === 0) return;
  const below = trx.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', groupId);
  const boards = trx.selectFrom('boards').select('id').where('namespace_id', 'in', below);
  await dropIterations(trx, boards, groups);
  const labels = trx.selectFrom('labels').select('id').where('namespace_id', 'in', groups);
  const milestones = trx.selectFrom('milestones').select('id').where('namespace_id', 'in', groups);
  await trx
    .deleteFrom('board_lists')
    .where('board_id', 'in', boards)
    .where((eb) => eb.or([eb('label_id', 'in', labels), eb('milestone_id', 'in', milestones)]))
    .execute();
  await trx.deleteFrom('board_labels').where('board_id', 'in', boards).where('label_id', 'in', labels).execute();
  const narrowed = trx.updateTable('boards').set({ milestone_id: null }).where('namespace_id', 'in', below);
  await narrowed.where('milestone_id', 'in', milestones).execute();
}
