import type { Generated, Insertable, Selectable } from 'kysely';

export interface DeployTokensTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  creator_id: number | null;
  name: string;
  username: string;
  digest: string;
  /** The token itself, encrypted: only of the one that jobs are given. */
  sealed: Generated<string | null>;
  /** JSON list. */
  scopes: string;
  revoked: Generated<number>;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

/** The projects that a deploy key opens; the key itself is a row of `ssh_keys`. */
export interface DeployKeyProjectsTable {
  key_id: number;
  project_id: number;
  can_push: Generated<number>;
  created_at: number;
}

export type DeployTokenRow = Selectable<DeployTokensTable>;
export type NewDeployTokenRow = Insertable<DeployTokensTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    deploy_tokens: DeployTokensTable;
    deploy_key_projects: DeployKeyProjectsTable;
  }
}
