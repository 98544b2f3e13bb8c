import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** A remote repository that a project is pushed to. */
export interface RemoteMirrorsTable {
  id: Generated<number>;
  project_id: number;
  enabled: number;
  /** The URL without credentials. */
  url: string;
  /** The URL including credentials. */
  encrypted_url: string;
  auth_method: AuthMethod;
  encrypted_private_key: string | null;
  public_key: string | null;
  /** The known host keys of the server, one per line; other keys are rejected. */
  known_hosts: Generated<string>;
  only_protected_branches: number;
  keep_divergent_refs: number;
  mirror_branch_regex: string | null;
  update_status: Generated<UpdateStatus>;
  /** Number of consecutive failed runs. */
  failures: Generated<number>;
  /** Whether the current failure has been announced. */
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
