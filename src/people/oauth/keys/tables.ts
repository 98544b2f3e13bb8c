import type { Generated, Selectable } from 'kysely';

/** A key that signs ID tokens. The newest one signs; all are published. */
export interface CiSigningKeysTable {
  id: Generated<number>;
  /** Thumbprint of the public key. */
  kid: string;
  /** PEM, encrypted. */
  private_key: string;
  created_at: number;
}

export type SigningKeyRow = Selectable<CiSigningKeysTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    ci_signing_keys: CiSigningKeysTable;
  }
}
