import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { positionBetween } from '../../positions.ts';
import { groupOfEpic, mayRead } from '../access.ts';
import { epicList } from '../list.ts';
import { removeFromParent, setParent } from '../parent.ts';
import { presentEpics } from '../present.ts';
import type { EpicEntity } from '../schema.ts';
import { presentEpic, readableEpic } from '../service.ts';
import * as store from '../store.ts';
import type { EpicRow } from '../tables.ts';
import { addEpic } from '../write.ts';
import { spreadChildren } from './store.ts';

/** Maximum number of children returned; the endpoint has no pagination. */
const shown = 1000;

/** Returns the child epics that the caller may read, in their order. */
export async function listChildren(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  iid: number,
): Promise<EpicEntity[]> {
  const parent = await readableEpic(services, subject, iid);
  const scope = { ...viewerOf(caller), parent: parent.id, below: false, above: false };
  const order = { by: 'relative_position', direction: 'asc' } as const;
  const rows = await epicList.rows(services.db.read, scope, {}, order, { offset: 0, perPage: shown });
  return presentEpics(services, rows, { groupId: subject.group.id });
}

export async function createChild(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  { title, confidential }: { readonly title: string; readonly confidential?: boolean },
): Promise<EpicEntity> {
  const parent = await readableEpic(services, subject, iid);
  const wanted = { title, parent_id: parent.id, confidential: confidential ?? parent.confidential === 1 };
  const child = await services.db.write((trx) => addEpic(services, trx, caller, subject, wanted));
  return presentEpic(services, caller, child);
}

async function readableChild(db: Reader, caller: Actor, id: number): Promise<EpicRow> {
  const child = (await store.epicsById(db, [id])).get(id);
  const subject = child && (await groupOfEpic(db, caller, child));
  if (!child || !subject || !mayRead(subject, child)) throw new NotFound('Epic');
  return child;
}

export async function addChild(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  childId: number,
): Promise<EpicEntity> {
  const parent = await readableEpic(services, subject, iid);
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const child = await readableChild(services.db.read, caller, childId);
  if (child.parent_id === parent.id) throw new Conflict('Epic(s) already assigned');
  const placed = await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'epics', childId);
    if (!locked) throw new NotFound('Epic');
    return setParent(trx, caller, locked, parent.id);
  });
  return presentEpic(services, caller, placed);
}

async function requireChild(services: Services, subject: GroupSubject, iid: number, childId: number) {
  const parent = await readableEpic(services, subject, iid);
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const child = (await store.epicsById(services.db.read, [childId])).get(childId);
  if (!child || child.parent_id !== parent.id) throw new NotFound('Epic');
  return { parent, child };
}

export async function removeChild(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  childId: number,
): Promise<EpicEntity> {
  const { parent, child } = await requireChild(services, subject, iid, childId);
  const freed = await services.db.write((trx) => removeFromParent(trx, parent, child.id));
  if (!freed) throw new NotFound('Epic');
  return presentEpic(services, caller, freed);
}

/** Moves a child epic between two others of the same parent. */
export async function moveChild(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  childId: number,
  { move_before_id, move_after_id }: { readonly move_before_id?: number; readonly move_after_id?: number },
): Promise<EpicEntity[]> {
  const { parent, child } = await requireChild(services, subject, iid, childId);
  await services.db.write(async (trx) => {
    await lockRow(trx, 'epics', parent.id);
    const place = async () => {
      const near = await store.epicsById(trx, [move_before_id ?? null, move_after_id ?? null]);
      const at = (id: number | undefined) => {
        const found = id === undefined ? undefined : near.get(id);
        if (id !== undefined && found?.parent_id !== parent.id) throw new NotFound('Epic');
        return found?.relative_position ?? undefined;
      };
      return positionBetween(at(move_before_id), at(move_after_id));
    };
    let relative_position = await place();
    if (relative_position === undefined) {
      await spreadChildren(trx, parent.id);
      relative_position = await place();
    }
    if (relative_position === undefined) throw new Unprocessable();
    await store.updateEpic(trx, child.id, { relative_position });
  });
  return listChildren(services, caller, subject, iid);
}
