import { Role } from '../../access/roles.ts';

/** Maps an access level of another server to a role, limited by the role of the granting user. */
export function grantedRole(value: unknown, maxRole: number): number | undefined {
  const role = Object.values(Role).find((level) => level === value && level > Role.none);
  return role === undefined ? undefined : Math.min(role, maxRole);
}
