import type { Generated, Selectable } from 'kysely';

export const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const;
export type RunnerType = (typeof runnerTypes)[number];

export interface RunnersTable {
  id: Generated<number>;
  runner_type: RunnerType;
  token_digest: string;
  token_expires_at: Generated<number | null>;
  /** Made with a registration token: its own does not begin with `glrt-`. */
  legacy: Generated<number>;
  /** The group of a group's runner. */
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
  /** A JSON array. */
  tag_list: Generated<string>;
  contacted_at: Generated<number | null>;
  created_at: number;
  updated_at: number;
}

/** The projects that a project's runner serves; the one it was made for is the first. */
export interface RunnerProjectsTable {
  runner_id: number;
  project_id: number;
  created_at: number;
}

/** One machine of a runner. */
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
  /** What it says it can do, as JSON. */
  features: Generated<string>;
  contacted_at: number | null;
  created_at: number;
}

/** Whom the registration token of a project or group registers runners for. */
export interface RunnerRegistrationTokensTable {
  token_digest: string;
  project_id: number | null;
  namespace_id: number | null;
}

/** The token that registers runners of the instance: one row, once somebody has asked for one. */
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
