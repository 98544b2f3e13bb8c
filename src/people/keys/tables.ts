import type { Generated, Insertable, Selectable } from 'kysely';

export type KeyUsage = 'auth_and_signing' | 'auth' | 'signing';

/** Keys of users, and of deployments (`deploy` 1, `user_id` whoever added it or null). */
export interface SshKeysTable {
  id: Generated<number>;
  user_id: number | null;
  title: string;
  key: string;
  fingerprint_md5: string;
  fingerprint_sha256: string;
  usage_type: Generated<KeyUsage>;
  deploy: Generated<number>;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

export interface GpgKeysTable {
  id: Generated<number>;
  user_id: number;
  key: string;
  fingerprint: string;
  primary_keyid: string;
  subkeys: Generated<string>;
  emails: Generated<string>;
  created_at: number;
}

export interface GpgKeySubkeysTable {
  id: Generated<number>;
  gpg_key_id: number;
  /** Upper-case hex. */
  keyid: string;
}

/** Commits and tags that were verified once, so that they stay so when the key is deleted. */
export interface VerifiedSignaturesTable {
  oid: string;
  /** Whose key it was. */
  user_id: number | null;
  key_fingerprint: string;
  gpg_keyid: string | null;
  gpg_user_name: string | null;
  gpg_user_email: string | null;
  created_at: number;
}

export type SshKeyRow = Selectable<SshKeysTable>;
export type NewSshKey = Insertable<SshKeysTable>;
export type GpgKeyRow = Selectable<GpgKeysTable>;
export type NewGpgKey = Insertable<GpgKeysTable>;
export type VerifiedSignatureRow = Selectable<VerifiedSignaturesTable>;
export type NewVerifiedSignature = Insertable<VerifiedSignaturesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ssh_keys: SshKeysTable;
    gpg_keys: GpgKeysTable;
    gpg_key_subkeys: GpgKeySubkeysTable;
    verified_signatures: VerifiedSignaturesTable;
  }
}
