import type { AccessToken } from '../../access/tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** Of whatever kind it is; the row has the digest, never the text. */
    'token.created': { readonly token: AccessToken };
    'token.revoked': { readonly token: AccessToken };
  }
}
