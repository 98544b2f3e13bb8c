import { sql } from 'kysely';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { labelInGroup, labelsById } from '../labels/public.ts';

/**
 * After a transfer of a group, its epics and those of its descendants lose parents in former ancestor groups and keep
 * equivalent labels.
 */
export async function updateEpicsAfterTransfer(
  _services: Services,
  trx: Writer,
  { group, lost }: Pick<DomainEvents['group.transferred'], 'group' | 'lost'>,
): Promise<void> {
  if (lost.length === 0) return;
  await leaveParents(trx, group.id, lost);
  await keepLabels(trx, group.id, lost);
}

const below = (trx: Writer, groupId: number) =>
  trx.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', groupId);

/** Removes epics from parents in groups that are no longer ancestors. */
async function leaveParents(trx: Writer, groupId: number, groups: readonly number[]): Promise<void> {
  const parents = trx.selectFrom('epics').select('id').where('namespace_id', 'in', groups);
  await trx
    .updateTable('epics')
    .set({ parent_id: null, relative_position: null })
    .where('namespace_id', 'in', below(trx, groupId))
    .where('parent_id', 'in', parents)
    .execute();
}

/** Replaces labels of groups that are no longer ancestors by labels with the same title at the new location. */
async function keepLabels(trx: Writer, groupId: number, groups: readonly number[]): Promise<void> {
  const carried = await trx
    .selectFrom('epic_labels')
    .innerJoin('epics', 'epics.id', 'epic_labels.epic_id')
    .innerJoin('labels', 'labels.id', 'epic_labels.label_id')
    .select(['epics.namespace_id', 'epic_labels.label_id'])
    .distinct()
    .where('epics.namespace_id', 'in', below(trx, groupId))
    .where('labels.namespace_id', 'in', groups)
    .execute();
  const labels = new Map(
    (
      await labelsById(
        trx,
        carried.map(({ label_id }) => label_id),
      )
    ).map((row) => [row.id, row]),
  );
  for (const [namespaceId, pairs] of Map.groupBy(carried, ({ namespace_id }) => namespace_id)) {
    const line = await selfAndAncestorIds(trx, namespaceId);
    for (const { label_id } of pairs) {
      const label = labels.get(label_id);
      if (label) await replaceLabel(trx, namespaceId, label_id, (await labelInGroup(trx, groupId, line, label)).id);
    }
  }
}

async function replaceLabel(trx: Writer, namespaceId: number, from: number, to: number): Promise<void> {
  const epics = trx.selectFrom('epics').select('id').where('namespace_id', '=', namespaceId);
  const carrying = trx.selectFrom('epic_labels').where('label_id', '=', from).where('epic_id', 'in', epics);
  await trx
    .insertInto('epic_labels')
    .columns(['epic_id', 'label_id'])
    .expression(carrying.select(['epic_id', sql.lit(to).as('label_id')]))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.deleteFrom('epic_labels').where('label_id', '=', from).where('epic_id', 'in', epics).execute();
}
