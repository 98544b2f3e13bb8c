import type { Generated, Insertable, Selectable } from 'kysely';

export const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const;
export type Tier = (typeof tiers)[number];
export const environmentStates = ['available', 'stopping', 'stopped'] as const;
export type EnvironmentState = (typeof environmentStates)[number];
export const autoStopSettings = ['always', 'with_action'] as const;
export const deploymentStatuses = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'blocked',
] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

/** Something that a project is deployed to. */
export interface EnvironmentsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** Its name as a part of host names. */
  slug: string;
  external_url: string | null;
  tier: Tier;
  state: EnvironmentState;
  description: string | null;
  auto_stop_setting: (typeof autoStopSettings)[number];
  auto_stop_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One version of a project on its way to an environment; what a job has made follows the job. */
export interface DeploymentsTable {
  id: Generated<number>;
  iid: number;
  project_id: number;
  environment_id: number;
  ref: string;
  tag: number;
  sha: string;
  status: DeploymentStatus;
  user_id: number | null;
  job_id: number | null;
  /** The job of the same pipeline that takes it down. */
  on_stop: string | null;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

export type EnvironmentRow = Selectable<EnvironmentsTable>;
export type NewEnvironmentRow = Insertable<EnvironmentsTable>;
export type DeploymentRow = Selectable<DeploymentsTable>;
export type NewDeploymentRow = Insertable<DeploymentsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    environments: EnvironmentsTable;
    deployments: DeploymentsTable;
  }
}

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** A deployment was made, or has got another state; `before` is null for a new one. */
    'deployment.changed': {
      readonly deployment: DeploymentRow;
      readonly environment: EnvironmentRow;
      readonly before: DeploymentStatus | null;
    };
  }
}
