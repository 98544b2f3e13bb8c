import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
import type { IdentifiedTokenEntity } from './administration/schema.ts';

/** A token identified by its secret, and how to revoke it. */
export interface KnownToken {
  readonly entity: IdentifiedTokenEntity;
  revoke(by: SignedInActor): Promise<void>;
}

/** A kind of token that can be identified by its secret. */
export interface TokenKind {
  /** Prefix of the secrets; if absent, the one in the settings. */
  readonly prefix?: string;
  identify(services: Services, text: string): Promise<KnownToken | undefined>;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Any kind of token; `by` is null for its owner. The row contains the digest, never the secret. */
    'token.created': { readonly token: AccessToken; readonly by: User | null };
    /** Revoked or rotated; not announced when its owner is blocked. */
    'token.revoked': { readonly token: AccessToken; readonly by: User | null };
    /** An active token expires within at most `days` days: 60, 30, then 7. Each is announced once. */
    'token.expiring': { readonly token: AccessToken; readonly days: number };
  }
  interface Contributions {
    'tokens.known': TokenKind;
  }
}
