import type { SignedInActor } from '../../access/actor.ts';
import { ancestorsOf } from '../../access/namespaces/hierarchy.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { positionBetween, positionGap } from '../positions.ts';
import { groupOfEpic, mayRead } from './access.ts';
import * as store from './store.ts';
import type { EpicRow } from './tables.ts';

/** So deep epics may lie in one another, the outermost counted. */
const deepest = 7;

const refused = (text: string) => new Invalid({ parent: [text] });

/** Puts an epic under another, as its last child. Refuses circles, what lies too deep, and other hierarchies. */
export async function moveUnder(trx: Writer, caller: SignedInActor, epic: EpicRow, parentId: number): Promise<EpicRow> {
  const parent = await lockRow(trx, 'epics', parentId);
  const subject = parent && (await groupOfEpic(trx, caller, parent));
  if (!parent || !subject || !mayRead(subject, parent)) throw new NotFound('Epic');
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const kin = new Set(await ancestorsOf(trx, parent.namespace_id));
  if (!(await ancestorsOf(trx, epic.namespace_id)).some((id) => kin.has(id))) {
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
    if (depth >= deepest) throw refused('This epic cannot be added. One or more epics would exceed the maximum depth.');
    const next: number | null = above.parent_id;
    above = next === null ? undefined : (await store.epicsById(trx, [next])).get(next);
  }
}

/** Puts another epic under this one, for a command: one that lies there already stays where it is. */
export async function adopt(trx: Writer, caller: SignedInActor, parent: EpicRow, id: number): Promise<void> {
  const child = await lockRow(trx, 'epics', id);
  if (!child) throw new NotFound('Epic');
  if (child.parent_id !== parent.id) await moveUnder(trx, caller, child, parent.id);
}

/** Takes a child out from under an epic; of one that lies elsewhere nothing changes. */
export async function setFree(trx: Writer, parent: EpicRow, id: number): Promise<EpicRow | undefined> {
  const child = await lockRow(trx, 'epics', id);
  if (child?.parent_id !== parent.id) return undefined;
  return store.updateEpic(trx, id, { parent_id: null, relative_position: null, updated_at: Date.now() });
}
