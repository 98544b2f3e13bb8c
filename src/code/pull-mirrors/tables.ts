import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { AuthMethod } from '../remote-mirrors/public.ts';

/** The repository elsewhere that a project follows; whether it does so now is a setting of the project. */
export interface PullMirrorsTable {
  project_id: number;
  /** As anybody may see it. */
  url: string;
  /** With user and password. */
  encrypted_url: string;
  auth_method: Generated<AuthMethod>;
  encrypted_private_key: string | null;
  public_key: string | null;
  /** The keys that the server has shown, one a line; it may show no other. */
  known_hosts: Generated<string>;
  update_status: Generated<UpdateStatus>;
  /** How many runs in a row have failed. */
  failures: Generated<number>;
  last_error: string | null;
  last_update_at: number | null;
  last_update_started_at: number | null;
  last_successful_update_at: number | null;
  /** Null when nobody is to come back to it. */
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
