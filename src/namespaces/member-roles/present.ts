import { byPermission } from '../../access/custom-permissions.ts';
import { permissionsIn } from '../../access/visibility/member-roles.ts';
import type { MemberRoleEntity } from './schema.ts';
import type { MemberRoleRow } from './tables.ts';

export function presentRole(row: MemberRoleRow): MemberRoleEntity {
  const permissions = permissionsIn(row.permissions);
  const { id, namespace_id, name, description, base_access_level } = row;
  const flags = byPermission((permission) => permissions.has(permission));
  return { id, group_id: namespace_id, name, description, base_access_level, ...flags };
}
