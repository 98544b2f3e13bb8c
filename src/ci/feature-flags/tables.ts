import type { Generated, Insertable, Selectable } from 'kysely';
import type { User } from '../../access/tables.ts';

/** A feature flag of a project. */
export interface FeatureFlagsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  description: string | null;
  active: number;
  created_at: number;
  updated_at: number;
}

/** Determines the users a flag is active for. */
export interface FeatureFlagStrategiesTable {
  id: Generated<number>;
  flag_id: number;
  name: string;
  /** JSON object with string values. */
  parameters: string;
  user_list_id: number | null;
}

/** An environment scope of a strategy. */
export interface FeatureFlagScopesTable {
  id: Generated<number>;
  strategy_id: number;
  environment_scope: string;
}

/** A list of users, by the user IDs of the application. */
export interface FeatureFlagUserListsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  name: string;
  /** Comma-separated user IDs. */
  user_xids: string;
  created_at: number;
  updated_at: number;
}

/** Client token of a project, created on first use. */
export interface FeatureFlagClientsTable {
  project_id: number;
  token_digest: string;
  /** Shown again to users who configure an application. */
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
    /** A flag was created, updated or deleted. `before` is the previous state of an updated flag. */
    'feature-flag.changed': {
      readonly action: 'created' | 'updated' | 'deleted';
      readonly flag: FlagRow;
      readonly before?: FlagRow;
      readonly by: User;
    };
  }
}
