import type { Generated, Selectable } from 'kysely';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { User, UserState } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

export interface IdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  extern_uid: string;
  created_at: number;
}

/** By what a provider knew somebody whose account was removed. */
export interface RemovedIdentitiesTable {
  provider: string;
  extern_uid_digest: string;
  removed_at: number;
}

export interface UserStatusesTable {
  user_id: number;
  emoji: string | null;
  message: string | null;
  availability: Generated<'not_set' | 'busy'>;
  clear_at: number | null;
}

export interface FollowsTable {
  follower_id: number;
  followee_id: number;
  created_at: number;
}

export interface SupportPinsTable {
  user_id: number;
  /** Encrypted. */
  pin: string;
  expires_at: number;
}

export type SupportPinRow = Selectable<SupportPinsTable>;
export type StatusRow = Selectable<UserStatusesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    identities: IdentitiesTable;
    removed_identities: RemovedIdentitiesTable;
    user_statuses: UserStatusesTable;
    follows: FollowsTable;
    user_support_pins: SupportPinsTable;
  }
}

/** What of a user's own cannot go within the transaction that removes the account, and is removed before it. */
export interface Belongings {
  exist(db: Reader, userId: number): Promise<boolean>;
  remove(services: Services, userId: number, signal: AbortSignal): Promise<void>;
}

/** What waits for a user, counted by the areas that know of it. */
export interface WaitingCounts {
  readonly merge_requests: number;
  readonly assigned_issues: number;
  readonly assigned_merge_requests: number;
  readonly review_requested_merge_requests: number;
  readonly todos: number;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Humans, bots and the ghost alike: see `kind`. */
    'user.created': { readonly user: User };
    /** An administrator asked for this as somebody else, whether or not it was done. */
    'user.acted_as': { readonly user: User; readonly by: User; readonly call: string };
    /** `changed` names the columns whose values differ from those `before`. */
    'user.updated': { readonly user: User; readonly before: User; readonly changed: ReadonlySet<keyof User> };
    /** Somebody made an account for themselves: it was told of as a created one before. */
    'user.signed_up': { readonly user: User; readonly ip: string };
    /** Somebody wanted to, with an address that is a user's already. */
    'sign-up.repeated': { readonly user: User; readonly email: string };
    /** An administrator turned somebody away who had signed up: the account is gone. */
    'user.rejected': { readonly user: User };
    'user.state_changed': { readonly user: User; readonly from: UserState };
    /**
     * Somebody is about to be removed. Whatever must not change until they are is locked here, before the account is;
     * throwing refuses the removal, unless it is a forced one.
     */
    'user.leaving': { readonly user: User; readonly forced: boolean };
    /** The row goes when all have been told. What others still see belongs to the heir, if there is one; else it goes too. */
    'user.removed': { readonly user: User; readonly heir: User | null };
    /** A provider of sign-ins knows a user from now on, or by another name. Nobody is named where an administrator or the first sign-in made it so. */
    'identity.set': {
      readonly userId: number;
      readonly provider: string;
      readonly externUid: string;
      /** What it knew them by. */
      readonly before: string | undefined;
      readonly by: User | null;
    };
    'identity.removed': { readonly userId: number; readonly provider: string; readonly by: User | null };
    /** A further address that its owner has yet to confirm. */
    'email.added': { readonly user: User; readonly email: string };
    /** An address was proven to be a user's own. */
    'email.confirmed': { readonly userId: number; readonly email: string };
  }
  interface Contributions {
    'users.belongings': Belongings;
    'users.waiting': (services: Services, caller: SignedInActor) => Promise<Partial<WaitingCounts>>;
    /** How much is connected to a user, beside groups and projects. */
    'users.associations': (
      services: Services,
      userId: number,
    ) => Promise<{ readonly issues_count?: number; readonly merge_requests_count?: number }>;
  }
}
