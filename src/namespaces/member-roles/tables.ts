import type { Selectable } from 'kysely';
import type { MemberRolesTable, Namespace, User } from '../../access/tables.ts';

export type MemberRoleRow = Selectable<MemberRolesTable>;

interface MemberRoleChange {
  readonly role: MemberRoleRow;
  /** The group that the role belongs to; undefined for roles of the instance. */
  readonly group: Namespace | undefined;
  readonly by: User;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'member_role.created': MemberRoleChange;
    'member_role.deleted': MemberRoleChange;
  }
}
