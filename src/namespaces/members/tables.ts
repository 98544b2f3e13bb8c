import type { Selectable } from 'kysely';
import type { Member, MemberInvitationsTable, User } from '../../access/tables.ts';

export type InvitationRow = Selectable<MemberInvitationsTable>;

declare module '../../platform/domain-events.ts' {
  /** The rows name the project or the group; `by` is null where the server did it. */
  interface DomainEvents {
    /** Somebody has a role of their own in a project or group. */
    'member.added': { readonly member: Member; readonly by: User | null };
    /** Somebody has another role there, or another day on which it ends. */
    'member.updated': { readonly member: Member; readonly before: Member; readonly by: User | null };
    /** A role has ended: taken away, given up, or run out. The row is gone. */
    'member.removed': { readonly member: Member; readonly by: User | null; readonly expired: boolean };
    /** Somebody without an account was invited. The token goes to them by mail, and is kept nowhere. */
    'member.invited': { readonly invitation: InvitationRow; readonly token: string; readonly by: User };
    /** Somebody asks to become a member. */
    'access.requested': { readonly user: User; readonly namespaceId: number | null; readonly projectId: number | null };
    /** Their request was refused, or they took it back. */
    'access.denied': {
      readonly userId: number;
      readonly namespaceId: number | null;
      readonly projectId: number | null;
      readonly by: User;
    };
  }
}
