import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** A repository elsewhere that this one is pushed to. */
export interface RemoteMirrorsTable {
  id: Generated<number>;
  project_id: number;
  enabled: number;
  /** As anybody may see it. */
  url: string;
  /** With user and password. */
  encrypted_url: string;
  auth_method: AuthMethod;
  encrypted_private_key: string | null;
  public_key: string | null;
  /** The keys that the server has shown, one a line; it may show no other. */
  known_hosts: Generated<string>;
  only_protected_branches: number;
  keep_divergent_refs: number;
  mirror_branch_regex: string | null;
  update_status: Generated<UpdateStatus>;
  /** How many runs in a row have failed. */
  failures: Generated<number>;
  /** Whether people were told that it fails. */
  failure_told: Generated<number>;
  last_error: string | null;
  last_update_at: number | null;
  last_update_started_at: number | null;
  last_successful_update_at: number | null;
  created_at: number;
}

export const authMethods = ['ssh_public_key', 'password'] as const;
export type AuthMethod = (typeof authMethods)[number];
export type UpdateStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'failed';

export type RemoteMirrorRow = Selectable<RemoteMirrorsTable>;
export type NewRemoteMirror = Insertable<RemoteMirrorsTable>;
export type RemoteMirrorChange = Updateable<RemoteMirrorsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    remote_mirrors: RemoteMirrorsTable;
  }
}
