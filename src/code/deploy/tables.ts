import type { Generated, Insertable, Selectable } from 'kysely';
import type { Project, User } from '../../access/tables.ts';
import type { SshKeyRow } from '../../people/keys/public.ts';

export interface DeployTokensTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  creator_id: number | null;
  name: string;
  username: string;
  digest: string;
  /** The encrypted token; only set for the token passed to CI jobs. */
  sealed: Generated<string | null>;
  /** JSON array. */
  scopes: string;
  revoked: Generated<number>;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

/** Links a deploy key, which is a row of `ssh_keys`, to a project. */
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

/** A deploy key and the project it was added to; null for a public key. */
interface DeployKeyChange {
  readonly key: Pick<SshKeyRow, 'id' | 'user_id' | 'title' | 'key' | 'created_at'>;
  readonly project: Project | null;
  readonly by: User | null;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'deploy-key.added': DeployKeyChange;
    'deploy-key.removed': DeployKeyChange;
    'deploy-token.created': { readonly token: DeployTokenRow; readonly by: User };
    'deploy-token.removed': { readonly token: DeployTokenRow; readonly by: User };
  }
}
