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

/** A deployment target of a project. */
export interface EnvironmentsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** The name as a DNS label. */
  slug: string;
  external_url: string | null;
  tier: Tier;
  state: EnvironmentState;
  description: string | null;
  auto_stop_setting: (typeof autoStopSettings)[number];
  auto_stop_at: number | null;
  /** Kubernetes settings; stored and returned, but otherwise unused. */
  kubernetes_namespace: string | null;
  flux_resource_path: string | null;
  created_at: number;
  updated_at: number;
}

/** A deployment of a commit to an environment. If created by a job, it follows the status of the job. */
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
  /** Name of the job of the same pipeline that stops the environment. */
  on_stop: string | null;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

/** A protection rule for an environment of a project by name, or for a deployment tier of a group. */
export interface ProtectedEnvironmentsTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  name: string;
  /** Number of approvals required from deployers, when there are no approval rules. */
  required_approval_count: number;
  created_at: number;
  updated_at: number;
}

export type GrantAction = 'deploy' | 'approve';

/** Grants deployment or approval to a role, a user or a group. */
export interface ProtectedEnvironmentGrantsTable {
  id: Generated<number>;
  protected_environment_id: number;
  action: GrantAction;
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  /** 1 to include inherited group members. */
  group_inheritance_type: number;
  /** Number of approvals required by this rule. */
  required_approvals: number;
}

export const approvalStatuses = ['approved', 'rejected'] as const;

/** A user's approval or rejection of a blocked deployment. */
export interface DeploymentApprovalsTable {
  id: Generated<number>;
  deployment_id: number;
  user_id: number;
  /** The approval rule it counts for. */
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
    /** A deployment was created or its status changed; `before` is null for a new one. */
    'deployment.changed': {
      readonly deployment: DeploymentRow;
      readonly environment: EnvironmentRow;
      readonly before: DeploymentStatus | null;
    };
    /** An environment of a project, or a tier of a group, was protected or unprotected. */
    'environment.protection': {
      readonly rule: ProtectedEnvironmentRow;
      readonly change: 'protected' | 'unprotected';
      readonly by: User;
    };
  }
}
