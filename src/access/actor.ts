import type { AccessToken, User } from './tables.ts';

/** How a request was authenticated. */
export type AuthenticationMethod =
  | 'none'
  | 'token'
  | 'session'
  | 'job'
  | 'deploy-token'
  | 'deploy-key'
  | 'password'
  | 'lfs';

/** The caller of a request: anonymous, a user, or a machine credential bound to one project. */
export interface Actor {
  readonly user: User | null;
  readonly carrier: AuthenticationMethod;
  readonly scopes: ReadonlySet<string>;
  /** The client's IP address; absent for the server's own actions. */
  readonly ip?: string;
  /** The User-Agent header. */
  readonly userAgent?: string | undefined;
  readonly token?: AccessToken;
  /** The administrator who uses `sudo`. */
  readonly impersonator?: User;
  /** The token of a running job; its access is decided by the project that owns the job. */
  readonly job?: {
    readonly id: number;
    readonly projectId: number;
    /** The instance enforces allowlists, so other projects cannot admit the tokens of any job. */
    readonly onlyListed?: boolean;
  };
  /** A short-lived LFS credential, valid only for the large files of this project. */
  readonly lfs?: { readonly projectId: number; readonly until: number };
  /** A deploy token or key, valid only for these projects. */
  readonly deploy?: {
    readonly id: number;
    readonly projectIds: ReadonlySet<number>;
    readonly canPush: boolean;
    /** The creator of the key: it loses access to protected refs when they do. */
    readonly ownerId?: number | null;
  };
}

/** An actor with a user, as gates that require sign-in admit. */
export interface SignedInActor extends Actor {
  readonly user: User;
}

const every: ReadonlySet<string> = new Set(['api']);

export const anonymous: Actor = { user: null, carrier: 'none', scopes: new Set() };

/** The server acting on behalf of a user, in background work that the user started. */
export function actorOnBehalfOf(user: User): SignedInActor {
  return { user, carrier: 'token', scopes: every };
}

export function isAdmin(actor: Actor): boolean {
  return actor.user?.admin === 1;
}

/** Administrators and auditors can read everything. */
export function canReadEverything(actor: Actor): boolean {
  return actor.user !== null && (actor.user.admin === 1 || actor.user.auditor === 1);
}

export function isSignedIn(actor: Actor): actor is SignedInActor {
  return actor.user !== null;
}

/** The user id of the caller for comparison in queries; 0, which no row has, for anonymous callers. */
export function callerId({ user }: Actor): number {
  return user?.id ?? 0;
}
