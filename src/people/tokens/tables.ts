import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
import type { IdentifiedTokenEntity } from './administration/schema.ts';

/** A token whose text is known, and how it is ended. */
export interface KnownToken {
  readonly entity: IdentifiedTokenEntity;
  revoke(by: SignedInActor): Promise<void>;
}

/** A kind of tokens. */
export interface TokenKind {
  /** What their texts begin with; where it is absent, with what the settings say. */
  readonly prefix?: string;
  identify(services: Services, text: string): Promise<KnownToken | undefined>;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Of whatever kind it is, by its owner where nobody is named; the row has the digest, never the text. */
    'token.created': { readonly token: AccessToken; readonly by: User | null };
    /** By itself or because it was replaced; not when its owner was shut out. */
    'token.revoked': { readonly token: AccessToken; readonly by: User | null };
    /** A token in force ends in so many days at most: 60, 30, then 7. Each is told of once. */
    'token.expiring': { readonly token: AccessToken; readonly days: number };
  }
  interface Contributions {
    'tokens.known': TokenKind;
  }
}
