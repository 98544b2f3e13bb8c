import type { SignedInActor } from '../../access/actor.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { positionBetween, positionGap } from '../positions.ts';
import { groupOfEpic, mayRead } from './access.ts';
import * as store from './store.ts';
import type { EpicRow } from './tables.ts';

/** Maximum number of levels in an epic hierarchy, including the root. */
const maxDepth = 7;

const refused = (text: string) => new Invalid({ parent: [text] });

/**
 * Moves an epic below another one as its last child. Rejects cycles, hierarchies that are too deep, and parents in
 * another group hierarchy.
 */
export async function setParent(trx: Writer, caller: SignedInActor, epic: EpicRow, parentId: number): Promise<EpicRow> {
  const parent = await lockRow(trx, 'epics', parentId);
  const subject = parent && (await groupOfEpic(trx, caller, parent));
  if (!parent || !subject || !mayRead(subject, parent)) throw new NotFound('Epic');
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const kin = new Set(await selfAndAncestorIds(trx, parent.namespace_id));
  if (!(await selfAndAncestorIds(trx, epic.namespace_id)).some((id) => kin.has(id))) {
    throw refused('This epic cannot be added. An epic must belong to the same group hierarchy as its parent epic.');
  }
  if (parent.confidential === 1 && epic.confidential === 0) {
    throw refused('A non-confidential epic cannot be assigned to a confidential parent epic');
  }
  await checkAbove(trx, epic, parent);
  const relative_position = positionBetween(await store.lastChildPosition(trx, parent.id), undefined) ?? positionGap;
  return store.updateEpic(trx, epic.id, { parent_id: parent.id, relative_position, updated_at: Date.now() });
}

async function checkAbove(trx: Writer, epic: EpicRow, parent: EpicRow): Promise<void> {
  let above: EpicRow | undefined = parent;
  for (let depth = 1; above; depth++) {
    if (above.id === epic.id) throw refused('This epic cannot be added. It is an ancestor of its parent.');
    if (depth >= maxDepth)
      throw refused('This epic cannot be added. One or more epics would exceed the maximum depth.');
    const next: number | null = above.parent_id;
    above = next === null ? undefined : (await store.epicsById(trx, [next])).get(next);
  }
}

/** Adds a child epic for a quick action; does nothing if it already is a child. */
export async function addChild(trx: Writer, caller: SignedInActor, parent: EpicRow, id: number): Promise<void> {
  const child = await lockRow(trx, 'epics', id);
  if (!child) throw new NotFound('Epic');
  if (child.parent_id !== parent.id) await setParent(trx, caller, child, parent.id);
}

/** Removes a child epic from its parent; does nothing if it is not a child of this one. */
export async function removeFromParent(trx: Writer, parent: EpicRow, id: number): Promise<EpicRow | undefined> {
  const child = await lockRow(trx, 'epics', id);
  if (child?.parent_id !== parent.id) return undefined;
  return store.updateEpic(trx, id, { parent_id: null, relative_position: null, updated_at: Date.now() });
}
