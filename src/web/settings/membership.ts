import type { SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** The level and the custom role in one value, such as `10` or `10:7`, because a custom role has one level only. */
const optionOf = (level: number, role: number | undefined) => (role === undefined ? `${level}` : `${level}:${role}`);

/** Role, default or custom, and expiry date of a membership. */
export async function membership({ visit, api }: SectionContext): Promise<readonly Field[]> {
  const custom: Entity[] = (await visit.api.maybe(`${api}/assignable_member_roles`, { per_page: 100 })) ?? [];
  const options = custom.map(
    ({ id, name, base_access_level: level }) => [optionOf(level, id), `${name} (custom, ${roleName(level)})`] as const,
  );
  return [
    { name: 'access_level', label: 'Role', kind: 'select', options: [...roles, ...options] },
    { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty: does not expire' },
  ];
}

/** The stored role as a value of the form. */
export function membershipValues(member: Entity): Entity {
  return { ...member, access_level: optionOf(member.access_level, member.member_role?.id ?? member.member_role_id) };
}

/** The submitted role as parameters of the API. */
export function readMembership({ access_level, ...sent }: JsonBody): JsonBody {
  const [level, role] = String(access_level).split(':');
  return { ...sent, access_level: Number(level), ...(role !== undefined && { member_role_id: Number(role) }) };
}

/** What to call the role of a member. */
export const roleOf = ({ access_level, member_role }: Entity): string =>
  member_role ? `${member_role.name} (${roleName(access_level)})` : roleName(access_level);
