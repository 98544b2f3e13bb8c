import type { Generated, Selectable } from 'kysely';

export const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const;
export type RunnerType = (typeof runnerTypes)[number];

export interface RunnersTable {
  id: Generated<number>;
  runner_type: RunnerType;
  token_digest: string;
  token_expires_at: Generated<number | null>;
  /** Created with a registration token, so its own token lacks the `glrt-` prefix. */
  legacy: Generated<number>;
  /** Set for group runners. */
  namespace_id: number | null;
  creator_id: number | null;
  description: string | null;
  name: Generated<string | null>;
  maintenance_note: Generated<string | null>;
  paused: Generated<number>;
  locked: Generated<number>;
  run_untagged: Generated<number>;
  access_level: Generated<'not_protected' | 'ref_protected'>;
  /** Seconds. */
  maximum_timeout: Generated<number | null>;
  /** JSON array. */
  tag_list: Generated<string>;
  contacted_at: Generated<number | null>;
  created_at: number;
  updated_at: number;
}

/** Projects assigned to a project runner; the first is the owner project. */
export interface RunnerProjectsTable {
  runner_id: number;
  project_id: number;
  created_at: number;
}

/** A runner manager: one machine of a runner. */
export interface RunnerManagersTable {
  id: Generated<number>;
  runner_id: number;
  system_id: string;
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  executor: string | null;
  ip_address: string | null;
  /** Reported capabilities, as JSON. */
  features: Generated<string>;
  contacted_at: number | null;
  created_at: number;
}

/** Registration tokens of projects and groups. */
export interface RunnerRegistrationTokensTable {
  token_digest: string;
  project_id: number | null;
  namespace_id: number | null;
}

/** The instance registration token: a single row, created on first use. */
export interface InstanceRegistrationTokenTable {
  id: 1;
  token_digest: string;
}

export type RunnerRow = Selectable<RunnersTable>;
export type RunnerManagerRow = Selectable<RunnerManagersTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    runners: RunnersTable;
    runner_projects: RunnerProjectsTable;
    runner_managers: RunnerManagersTable;
    runner_registration_tokens: RunnerRegistrationTokensTable;
    instance_registration_token: InstanceRegistrationTokenTable;
  }
}
