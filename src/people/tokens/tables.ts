import type { AccessToken } from '../../access/tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** Of whatever kind it is; the row has the digest, never the text. */
    'token.created': { readonly token: AccessToken };
    /** By itself or because it was replaced; not when its owner was shut out. */
    'token.revoked': { readonly token: AccessToken };
    /** A token in force ends in so many days at most: 60, 30, then 7. Each is told of once. */
    'token.expiring': { readonly token: AccessToken; readonly days: number };
  }
}
