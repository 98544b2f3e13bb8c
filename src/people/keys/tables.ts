import type { Generated, Insertable, Selectable } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';

export type KeyUsage = 'auth_and_signing' | 'auth' | 'signing';

/** SSH keys of users and deploy keys (`deploy` 1; `user_id` is the user who added it, or null). */
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

export type SshKeyRow = Selectable<SshKeysTable>;
export type NewSshKey = Insertable<SshKeysTable>;
export type GpgKeyRow = Selectable<GpgKeysTable>;
export type NewGpgKey = Insertable<GpgKeysTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ssh_keys: SshKeysTable;
    gpg_keys: GpgKeysTable;
    gpg_key_subkeys: GpgKeySubkeysTable;
  }
}

/** A key of a user; deploy keys have events of their own area. */
export type UserKey =
  | { readonly kind: 'ssh'; readonly key: SshKeyRow }
  | { readonly kind: 'gpg'; readonly key: GpgKeyRow };

/** A project that a deploy key gives access to. */
export interface DeployKeyProject {
  readonly deploy_key_id: number;
  readonly project_id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly can_push: boolean;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'key.added': UserKey;
    /** `revoked`: signatures made with the key become untrusted too. */
    'key.removed': UserKey & { readonly revoked: boolean };
  }
  interface Contributions {
    'keys.deployments': (db: Reader, keyId: number) => Promise<DeployKeyProject[]>;
  }
}
