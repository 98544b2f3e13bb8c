import { Role } from '../../access/roles.ts';

/** The role that a number of another server stands for, never above that of whoever gives it. */
export function grantedRole(value: unknown, most: number): number | undefined {
  const known = Object.values(Role).find((level) => level === value && level > Role.none);
  return known === undefined ? undefined : Math.min(known, most);
}
