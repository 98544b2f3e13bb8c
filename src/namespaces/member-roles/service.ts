import type { SignedInActor } from '../../access/actor.ts';
import { permissionNames } from '../../access/custom-permissions.ts';
import { permissionsProblem } from '../../access/custom-roles.ts';
import { lockNamespaceRow } from '../../access/namespaces/hierarchy.ts';
import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { roleName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { presentRole } from './present.ts';
import type { MemberRoleEntity, NewRoleParams } from './schema.ts';
import * as store from './store.ts';
import type { MemberRoleRow } from './tables.ts';

/** As many as a group may define. */
const maxRolesOfGroup = 10;
const longest = { name: 255, description: 1024 };

/** Lists the custom roles of a group, or of the instance. */
export async function listRoles(
  { db }: Services,
  group: Namespace | undefined,
  page: PageRequest,
): Promise<Page<MemberRoleEntity>> {
  const { rows, total } = await store.listRoles(db.read, group?.id ?? null, page);
  return new Page(rows, total).map(presentRole);
}

/** Lists the custom roles that members of a place can have: those of the instance, and of the groups above. */
export async function listAssignableRoles(
  { db }: Services,
  subject: ProjectOrGroup,
  page: PageRequest,
): Promise<Page<MemberRoleEntity>> {
  const { rows, total } = await store.listUsableRoles(db.read, namespaceOf(subject).id, page);
  return new Page(rows, total).map(presentRole);
}

function readRole(
  sent: NewRoleParams,
): Pick<MemberRoleRow, 'name' | 'description' | 'permissions' | 'base_access_level'> {
  const { base_access_level } = sent;
  const name = sent.name?.trim() || `${roleName(base_access_level)} - custom`;
  const description = sent.description ?? null;
  const long = lengthProblem(name, longest.name);
  if (long !== undefined) throw BadRequest.plain(`Name ${long}`);
  const tooLong = lengthProblem(description ?? '', longest.description);
  if (tooLong !== undefined) throw BadRequest.plain(`Description ${tooLong}`);
  const permissions = permissionNames.filter((permission) => sent[permission]);
  const problem = permissionsProblem(base_access_level, new Set(permissions));
  if (problem !== undefined) throw BadRequest.plain(problem);
  return { name, description, base_access_level, permissions: JSON.stringify(permissions) };
}

/** Creates a custom role of a top-level group, or of the instance. */
export async function createRole(
  { db, announce }: Services,
  { user: by }: SignedInActor,
  group: Namespace | undefined,
  sent: NewRoleParams,
): Promise<MemberRoleEntity> {
  if (group && group.parent_id !== null) {
    throw BadRequest.plain('Creation of member role is allowed only for root groups');
  }
  const fields = readRole(sent);
  const namespace_id = group?.id ?? null;
  return db
    .write(async (trx) => {
      if (group) {
        // Concurrent requests would otherwise exceed the limit together.
        if (!(await lockNamespaceRow(trx, group.id))) throw new NotFound('Group');
        if ((await store.countRoles(trx, group.id)) >= maxRolesOfGroup) {
          throw BadRequest.plain(
            'Namespace maximum number of Member Roles are already in use by the group hierarchy. Please delete an existing Member Role.',
          );
        }
      }
      const role = await store.insertRole(trx, { ...fields, namespace_id, created_at: Date.now() });
      await announce(trx, 'member_role.created', { role, group, by });
      return presentRole(role);
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? BadRequest.plain('Name has already been taken') : error;
    });
}

/** Deletes a custom role that nobody has. */
export async function deleteRole(
  { db, announce }: Services,
  { user: by }: SignedInActor,
  group: Namespace | undefined,
  id: number,
): Promise<void> {
  await db.write(async (trx) => {
    // Who is about to give the role to somebody holds a lock on it until then.
    const role = await store.lockRole(trx, group?.id ?? null, id);
    if (!role) throw new NotFound('Member Role');
    if (await store.isInUse(trx, id)) {
      throw BadRequest.plain(
        'Role is assigned to one or more group members. Remove role from all group members, then delete role.',
      );
    }
    await store.deleteRole(trx, id);
    await announce(trx, 'member_role.deleted', { role, group, by });
  });
}
