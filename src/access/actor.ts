import type { AccessToken, User } from './tables.ts';

/** How a request proved who it is. */
export type Carrier = 'none' | 'token' | 'session' | 'job' | 'deploy-token' | 'deploy-key' | 'password' | 'lfs';

/** Who is asking: nobody, a user, or a machine credential bound to one project. */
export interface Actor {
  readonly user: User | null;
  readonly carrier: Carrier;
  readonly scopes: ReadonlySet<string>;
  /** The address that the request came from; absent for what the server does by itself. */
  readonly ip?: string;
  /** What the request's program calls itself. */
  readonly userAgent?: string | undefined;
  readonly token?: AccessToken;
  /** The administrator behind a `sudo`. */
  readonly impersonator?: User;
  /** A running job's token: what it may reach is decided by the project that owns the job. */
  readonly job?: { readonly id: number; readonly projectId: number };
  /** A short-lived credential of LFS: it opens the large files of this project and nothing else. */
  readonly lfs?: { readonly projectId: number; readonly until: number };
  /** A deploy token or key: it reaches these projects and no others. */
  readonly deploy?: {
    readonly id: number;
    readonly projectIds: ReadonlySet<number>;
    readonly canPush: boolean;
    /** Who made the key: its right on protected refs ends with theirs. */
    readonly ownerId?: number | null;
  };
}

/** An actor who is, or acts for, a user: what every gate that asks for a sign-in lets in. */
export interface SignedInActor extends Actor {
  readonly user: User;
}

const every: ReadonlySet<string> = new Set(['api']);

export const anonymous: Actor = { user: null, carrier: 'none', scopes: new Set() };

/** The server itself acting for a user: background work that the user asked for. */
export function actingFor(user: User): SignedInActor {
  return { user, carrier: 'token', scopes: every };
}

export function isAdmin(actor: Actor): boolean {
  return actor.user?.admin === 1;
}

/** Administrators and auditors see everything. */
export function seesAll(actor: Actor): boolean {
  return actor.user !== null && (actor.user.admin === 1 || actor.user.auditor === 1);
}

export function isSignedIn(actor: Actor): actor is SignedInActor {
  return actor.user !== null;
}

/** The number that rows are compared with for the caller; that of nobody, 0, is no row's. */
export function callerId({ user }: Actor): number {
  return user?.id ?? 0;
}
