import type { Generated, Insertable, Selectable } from 'kysely';
import type { User } from '../../access/tables.ts';

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
  /** Where in a cluster it runs: told to whoever asks, and no more. */
  kubernetes_namespace: string | null;
  flux_resource_path: string | null;
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

/** A rule over an environment of a project by its name, or over those of a group's projects by their tier. */
export interface ProtectedEnvironmentsTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  name: string;
  /** Of those who may deploy, how many have to agree, where no rules say who approves. */
  required_approval_count: number;
  created_at: number;
  updated_at: number;
}

export type GrantAction = 'deploy' | 'approve';

/** Who may deploy, or approve: people of a role, one user, or one group. */
export interface ProtectedEnvironmentGrantsTable {
  id: Generated<number>;
  protected_environment_id: number;
  action: GrantAction;
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  /** 1 where those count too who are members of a group above it. */
  group_inheritance_type: number;
  /** How many of those who may approve have to. */
  required_approvals: number;
}

export const approvalStatuses = ['approved', 'rejected'] as const;

/** What somebody said of a deployment that waits for approval. */
export interface DeploymentApprovalsTable {
  id: Generated<number>;
  deployment_id: number;
  user_id: number;
  /** The rule it counts for. */
  grant_id: number | null;
  status: (typeof approvalStatuses)[number];
  comment: string | null;
  created_at: number;
  updated_at: number;
}

export type ProtectedEnvironmentRow = Selectable<ProtectedEnvironmentsTable>;
export type GrantRow = Selectable<ProtectedEnvironmentGrantsTable>;
export type ApprovalRow = Selectable<DeploymentApprovalsTable>;
export type EnvironmentRow = Selectable<EnvironmentsTable>;
export type NewEnvironmentRow = Insertable<EnvironmentsTable>;
export type DeploymentRow = Selectable<DeploymentsTable>;
export type NewDeploymentRow = Insertable<DeploymentsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    environments: EnvironmentsTable;
    deployments: DeploymentsTable;
    protected_environments: ProtectedEnvironmentsTable;
    protected_environment_grants: ProtectedEnvironmentGrantsTable;
    deployment_approvals: DeploymentApprovalsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A deployment was made, or has got another state; `before` is null for a new one. */
    'deployment.changed': {
      readonly deployment: DeploymentRow;
      readonly environment: EnvironmentRow;
      readonly before: DeploymentStatus | null;
    };
    /** An environment of a project, or a tier of a group's, was protected, or is so no longer. */
    'environment.protection': {
      readonly rule: ProtectedEnvironmentRow;
      readonly change: 'protected' | 'unprotected';
      readonly by: User;
    };
  }
}
