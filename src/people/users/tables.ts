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

/** Identities of deleted accounts. */
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

/** Data owned by a user that is deleted before the account, because it is too much for a single transaction. */
export interface UserOwnedData {
  exist(db: Reader, userId: number): Promise<boolean>;
  remove(services: Services, userId: number, signal: AbortSignal): Promise<void>;
}

/** Counters for the current user, contributed by other areas. */
export interface UserCounts {
  readonly merge_requests: number;
  readonly assigned_issues: number;
  readonly assigned_merge_requests: number;
  readonly review_requested_merge_requests: number;
  readonly todos: number;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Also for bots and the ghost user; see `kind`. */
    'user.created': { readonly user: User };
    /** An administrator sent a request as another user (sudo), successful or not. */
    'user.acted_as': { readonly user: User; readonly by: User; readonly call: string };
    /** `changed` lists the columns that differ from `before`. */
    'user.updated': { readonly user: User; readonly before: User; readonly changed: ReadonlySet<keyof User> };
    /** A user registered; announced after `user.created`. */
    'user.signed_up': { readonly user: User; readonly ip: string };
    /** A registration used an e-mail address that already belongs to a user. */
    'sign-up.repeated': { readonly user: User; readonly email: string };
    /** An administrator rejected a pending registration; the account is deleted. */
    'user.rejected': { readonly user: User };
    'user.state_changed': { readonly user: User; readonly from: UserState };
    /**
     * A user is about to be deleted. Handlers lock whatever must not change until then, before the account is locked;
     * throwing refuses the deletion unless it is forced.
     */
    'user.leaving': { readonly user: User; readonly forced: boolean };
    /**
     * The row is deleted after all handlers have run. Contributions are reassigned to the heir, if any, and deleted
     * otherwise.
     */
    'user.removed': { readonly user: User; readonly heir: User | null };
    /** An identity was added to a user or changed. `by` is null if an administrator or the first sign-in caused it. */
    'identity.set': {
      readonly userId: number;
      readonly provider: string;
      readonly externUid: string;
      /** The previous external uid. */
      readonly before: string | undefined;
      readonly by: User | null;
    };
    'identity.removed': { readonly userId: number; readonly provider: string; readonly by: User | null };
    /** A secondary e-mail address was added and has to be confirmed. */
    'email.added': { readonly user: User; readonly email: string };
    /** An e-mail address was confirmed. */
    'email.confirmed': { readonly userId: number; readonly email: string };
  }
  interface Contributions {
    'users.belongings': UserOwnedData;
    'users.waiting': (services: Services, caller: SignedInActor) => Promise<Partial<UserCounts>>;
    /** Counts records associated with a user, besides groups and projects. */
    'users.associations': (
      services: Services,
      userId: number,
    ) => Promise<{ readonly issues_count?: number; readonly merge_requests_count?: number }>;
  }
}
