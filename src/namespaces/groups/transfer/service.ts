import type { SignedInActor } from '../../../access/actor.ts';
import { isPathTaken, moveNamespace } from '../../../access/namespaces/addresses.ts';
import { creationLevelsOf, mayCreateSubgroup } from '../../../access/namespaces/creation-levels.ts';
import {
  ancestorsLost,
  lockHierarchy,
  lockNamespaceRow,
  selfAndAncestorIds,
} from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, readableGroup, readableProject } from '../../../access/subjects.ts';
import type { Namespace, User } from '../../../access/tables.ts';
import { mayHavePersonalProjects } from '../../../people/users/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, type HttpError, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { rubyDump } from '../../../platform/http/responses/ruby-dump.ts';
import { ensureGroupOwner } from '../../members/public.ts';
import { lowerVisibilityInGroup, moveInto } from '../../projects/public.ts';
import { detailOf } from '../detail/present.ts';
import type { GroupDetailEntity } from '../detail/schema.ts';
import { presentPublicGroup } from '../present.ts';
import { maxAncestors, mayCreateTopLevelGroup, tooDeep } from '../rules.ts';
import type { PublicGroupEntity } from '../schema.ts';
import { endRolesOf } from '../sharing/store.ts';
import { childDepth, groupRow, siblingNamed, subtreeDepth } from '../store.ts';
import { transferLocations } from './list.ts';
import { lowerVisibility } from './store.ts';

const samePath = 'The parent group already has a subgroup or a project with the same path.';

function failed(reason: string): HttpError {
  return BadRequest.plain(`Transfer failed: ${reason}`);
}

/** Moves a group with everything in it under another group or to the top level. */
export async function transferGroup(
  services: Services,
  caller: SignedInActor,
  { group }: GroupSubject,
  targetId: number | undefined,
): Promise<GroupDetailEntity> {
  const { db } = services;
  const target = targetId === undefined ? undefined : await readableGroup(db, caller, targetId);
  if (!target && group.parent_id === null) throw failed('Group is already a root group.');
  if (target && group.parent_id === target.group.id) {
    throw failed('Group is already associated to the parent group.');
  }
  const allowed = target
    ? mayCreateSubgroup(target, creationLevelsOf(target.group).subgroup)
    : mayCreateTopLevelGroup(caller.user) && (await mayHavePersonalProjects(services, db.read, caller.user));
  if (!allowed) throw failed("You don't have enough permissions.");
  await db
    .write((trx) => move(services, trx, caller.user, group.id, target?.group.id))
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? failed(samePath) : error;
    });
  return detailOf(services, caller, group.id);
}

async function move(
  services: Services,
  trx: Writer,
  by: User,
  id: number,
  targetId: number | undefined,
): Promise<void> {
  await lockHierarchy(trx);
  const before = await lockNamespaceRow(trx, id);
  const parent = targetId === undefined ? null : await lockNamespaceRow(trx, targetId);
  if (!before || parent === undefined) throw new NotFound('Group');
  if (parent) await checkTarget(trx, before, parent);
  const { path, name } = before;
  if (await isPathTaken(trx, parent ? `${parent.full_path}/${path}` : path)) throw failed(samePath);
  await moveNamespace(trx, before, { path, name, parent });
  if (parent) {
    // The visibility of everything in a group is limited to that of the group.
    await lowerVisibility(trx, id, parent.visibility);
    await lowerVisibilityInGroup(trx, id, parent.visibility);
  } else await ensureGroupOwner(services, trx, id, by);
  const lost = before.parent_id === null ? [] : await ancestorsLost(trx, before.parent_id, id);
  await endRolesOf(trx, lost, id);
  await services.announce(trx, 'group.transferred', { before, group: await groupRow(trx, id), lost, by });
}

async function checkTarget(trx: Writer, group: Namespace, parent: Namespace): Promise<void> {
  if ((await selfAndAncestorIds(trx, parent.id)).includes(group.id)) {
    throw failed('Cannot transfer group to one of its subgroup.');
  }
  if (await siblingNamed(trx, parent.id, group.name)) throw failed('Validation failed: Name has already been taken');
  const deepest = (await childDepth(trx, parent.id)) + (await subtreeDepth(trx, group.id));
  if (deepest > maxAncestors) throw failed(`Validation failed: Parent ${tooDeep}`);
}

/** Lists the groups to which this group can be transferred. */
export async function listTransferLocations(
  { db, externalUrl }: Services,
  caller: SignedInActor,
  { group }: GroupSubject,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const { rows, total } = await transferLocations(db.read, caller, group, search, page);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}

/** Moves a project into a group. */
export async function moveProjectInto(
  services: Services,
  caller: SignedInActor,
  groupId: string,
  projectId: string,
): Promise<GroupDetailEntity> {
  const { group } = await readableGroup(services.db, caller, groupId);
  const project = await readableProject(services.db, caller, projectId);
  if (project.namespace.id === group.id) {
    const errors = { new_namespace: ['Project is already in this namespace.'] };
    throw BadRequest.plain(`Failed to transfer project ${rubyDump(errors)}`);
  }
  await moveInto(services, caller, project, group);
  return detailOf(services, caller, group.id);
}
