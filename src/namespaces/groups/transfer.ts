import { sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { addressTaken, moveNamespace } from '../../access/addresses.ts';
import { creationLevelsOf, mayCreateSubgroup } from '../../access/creation-levels.ts';
import { ancestorsOf, holdNamespace, holdTree } from '../../access/namespaces.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, readableGroup } from '../../access/subjects.ts';
import type { Namespace, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { BadRequest, type HttpError, NotFound } from '../../platform/http/errors.ts';
import { mayCreateTopLevelGroup, mostAncestors, tooDeep } from './create.ts';
import { detailOf } from './detail.ts';
import type { GroupDetailEntity } from './schema.ts';
import { ensureOwner, levelsAbove, levelsBelow, siblingNamed } from './store.ts';

const samePath = 'The parent group already has a subgroup or a project with the same path.';

function failed(why: string): HttpError {
  return BadRequest.plain(`Transfer failed: ${why}`);
}

/** Moves a group with everything in it below another one, or to the top. */
export async function transferGroup(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  targetId: number | undefined,
): Promise<GroupDetailEntity> {
  const { db } = services;
  const target = targetId === undefined ? undefined : await readableGroup(db, actor, targetId);
  if (!target && group.parent_id === null) throw failed('Group is already a root group.');
  if (target && group.parent_id === target.group.id) {
    throw failed('Group is already associated to the parent group.');
  }
  const allowed = target
    ? mayCreateSubgroup(target, creationLevelsOf(target.group).subgroup)
    : mayCreateTopLevelGroup(actor.user as User);
  if (!allowed) throw failed("You don't have enough permissions.");
  await db
    .write((trx) => move(trx, actor.user as User, group.id, target?.group.id))
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? failed(samePath) : error;
    });
  return detailOf(services, actor, group.id);
}

async function move(trx: Writer, user: User, id: number, targetId: number | undefined): Promise<void> {
  await holdTree(trx);
  const group = await holdNamespace(trx, id);
  const parent = targetId === undefined ? null : await holdNamespace(trx, targetId);
  if (!group || parent === undefined) throw new NotFound('Group');
  if (parent) await checkPlace(trx, group, parent);
  if (await addressTaken(trx, parent ? `${parent.full_path}/${group.path}` : group.path)) throw failed(samePath);
  await moveNamespace(trx, group, { path: group.path, name: group.name, parent });
  if (parent) await lowerTo(trx, group.id, parent.visibility);
  else await ensureOwner(trx, group.id, user.id);
}

async function checkPlace(trx: Writer, group: Namespace, parent: Namespace): Promise<void> {
  if ((await ancestorsOf(trx, parent.id)).includes(group.id)) {
    throw failed('Cannot transfer group to one of its subgroup.');
  }
  if (await siblingNamed(trx, parent.id, group.name)) throw failed('Validation failed: Name has already been taken');
  const deepest = (await levelsAbove(trx, parent.id)) + (await levelsBelow(trx, group.id));
  if (deepest > mostAncestors) throw failed(`Validation failed: Parent ${tooDeep}`);
}

/** Nothing in a group is more visible than the group itself. */
async function lowerTo(trx: Writer, id: number, visibility: number): Promise<void> {
  const below = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;
  await trx
    .updateTable('namespaces')
    .set({ visibility })
    .where('id', 'in', below)
    .where('visibility', '>', visibility)
    .execute();
  await trx
    .updateTable('projects')
    .set({ visibility })
    .where('namespace_id', 'in', below)
    .where('visibility', '>', visibility)
    .execute();
}
