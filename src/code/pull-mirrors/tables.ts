import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { AuthMethod } from '../remote-mirrors/public.ts';

/** The remote repository a project is mirrored from. Whether mirroring is enabled is a project setting. */
export interface PullMirrorsTable {
  project_id: number;
  /** The URL without credentials. */
  url: string;
  /** The URL including credentials. */
  encrypted_url: string;
  auth_method: Generated<AuthMethod>;
  encrypted_private_key: string | null;
  public_key: string | null;
  /** The known host keys of the server, one per line; other keys are rejected. */
  known_hosts: Generated<string>;
  update_status: Generated<UpdateStatus>;
  /** Number of consecutive failed runs. */
  failures: Generated<number>;
  last_error: string | null;
  last_update_at: number | null;
  last_update_started_at: number | null;
  last_successful_update_at: number | null;
  /** Null if no run is scheduled. */
  next_update_at: number | null;
}

export type UpdateStatus = 'none' | 'scheduled' | 'started' | 'finished' | 'failed';
export type PullMirrorRow = Selectable<PullMirrorsTable>;
export type NewPullMirror = Insertable<PullMirrorsTable>;
export type PullMirrorChange = Updateable<PullMirrorsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pull_mirrors: PullMirrorsTable;
  }
}
