import { holdsAll } from '../../access/custom-roles.ts';
import { isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import { permissionsIn } from '../../access/visibility/member-roles.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { rolesByIds, usableRole } from './store.ts';
import type { MemberRoleRow } from './tables.ts';

/** An access level, and the custom role that is based on it, if any. */
export interface LevelAndRole {
  readonly access_level: number;
  readonly member_role_id?: number | null | undefined;
}

/** Whether the caller may give, change or take away a role: Owners any, others what they hold themselves. */
function mayManage(subject: ProjectOrGroup, role: MemberRoleRow): boolean {
  const { standing } = subject;
  if (standing.admin || standing.level === Role.owner) return true;
  return holdsAll(standing, permissionsIn(role.permissions), isProject(subject) ? 'project' : 'group');
}

/**
 * Returns the id of the custom role to give together with an access level, or null for none. It must be usable in this
 * place and based on the level, and may not add what the caller lacks.
 */
export async function roleToGive(
  db: Reader,
  subject: ProjectOrGroup,
  { access_level, member_role_id }: LevelAndRole,
): Promise<number | null> {
  if (member_role_id == null) return null;
  const role = await usableRole(db, namespaceOf(subject).id, member_role_id);
  // The answer does not reveal whether another group has such a role.
  if (!role) throw new Invalid({ member_role: ['not found'] });
  if (role.base_access_level !== access_level) {
    throw new Invalid({
      member_role_id: ["the custom role's base access level does not match the current access level"],
    });
  }
  if (!mayManage(subject, role)) throw new Forbidden();
  return role.id;
}

/** Rejects changes to people whose custom roles add what the caller lacks. */
export async function checkHeldRoles(
  db: Reader,
  subject: ProjectOrGroup,
  held: readonly { readonly member_role_id: number | null }[],
): Promise<void> {
  const ids = held.map(({ member_role_id }) => member_role_id);
  const roles = await rolesByIds(db, ids);
  if (![...roles.values()].every((role) => mayManage(subject, role))) throw new Forbidden();
}
