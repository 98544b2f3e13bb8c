import type { Generated, Insertable, Selectable } from 'kysely';
import type { User } from '../../access/tables.ts';

/** Something that an application does or leaves, by what its project says. */
export interface FeatureFlagsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  description: string | null;
  active: number;
  created_at: number;
  updated_at: number;
}

/** Whom a flag is on for. */
export interface FeatureFlagStrategiesTable {
  id: Generated<number>;
  flag_id: number;
  name: string;
  /** JSON, an object of texts. */
  parameters: string;
  user_list_id: number | null;
}

/** Where a strategy applies. */
export interface FeatureFlagScopesTable {
  id: Generated<number>;
  strategy_id: number;
  environment_scope: string;
}

/** Users of an application, by the names that it has for them. */
export interface FeatureFlagUserListsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  name: string;
  /** Separated by commas. */
  user_xids: string;
  created_at: number;
  updated_at: number;
}

/** What the applications of a project show to read its flags: made when it is first asked for. */
export interface FeatureFlagClientsTable {
  project_id: number;
  token_digest: string;
  /** Shown again to those who configure an application. */
  encrypted_token: string;
}

export type FlagRow = Selectable<FeatureFlagsTable>;
export type NewFlagRow = Insertable<FeatureFlagsTable>;
export type StrategyRow = Selectable<FeatureFlagStrategiesTable>;
export type ScopeRow = Selectable<FeatureFlagScopesTable>;
export type UserListRow = Selectable<FeatureFlagUserListsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    feature_flags: FeatureFlagsTable;
    feature_flag_strategies: FeatureFlagStrategiesTable;
    feature_flag_scopes: FeatureFlagScopesTable;
    feature_flag_user_lists: FeatureFlagUserListsTable;
    feature_flag_clients: FeatureFlagClientsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A flag was made, changed or deleted; `before` is what it was before a change. */
    'feature-flag.changed': {
      readonly action: 'created' | 'updated' | 'deleted';
      readonly flag: FlagRow;
      readonly before?: FlagRow;
      readonly by: User;
    };
  }
}
