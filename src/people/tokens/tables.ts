import type { AccessToken } from '../../access/tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** Of whatever kind it is; the row has the digest, never the text. */
    'token.created': { readonly token: AccessToken };
    /** By itself or because it was replaced; not when its owner was shut out. */
    'token.revoked': { readonly token: AccessToken };
  }
}
