import type { Selectable } from 'kysely';
import type { Member, MemberInvitationsTable, User } from '../../access/tables.ts';

export type InvitationRow = Selectable<MemberInvitationsTable>;

declare module '../../platform/domain-events.ts' {
  /** The rows identify the project or group; `by` is null if the change was made by the server. */
  interface DomainEvents {
    /** A user was added as a direct member. */
    'member.added': { readonly member: Member; readonly by: User | null };
    /** The access level or expiry date of a membership changed. */
    'member.updated': { readonly member: Member; readonly before: Member; readonly by: User | null };
    /** A membership ended: removed, left or expired. The row is deleted already. */
    'member.removed': { readonly member: Member; readonly by: User | null; readonly expired: boolean };
    /** An e-mail address without an account was invited. The token is sent by e-mail and not stored. */
    'member.invited': { readonly invitation: InvitationRow; readonly token: string; readonly by: User };
    /** An invited person became a member. `created_by_id` of the member is who invited them. */
    'invitation.accepted': { readonly member: Member };
    /** A user requested access. */
    'access.requested': { readonly user: User; readonly namespaceId: number | null; readonly projectId: number | null };
    /** An access request was denied or withdrawn. */
    'access.denied': {
      readonly userId: number;
      readonly namespaceId: number | null;
      readonly projectId: number | null;
      readonly by: User;
    };
  }
}
