import Type, { type Static } from 'typebox';
import { BasicProject } from '../../namespaces/projects/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import {
  nullAsBlank,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { Job } from '../jobs/public.ts';
import { deploymentList } from './deployments/list.ts';
import { approvalRuleFields } from './protection/schema.ts';
import { approvalStatuses, autoStopSettings, environmentStates, tiers } from './tables.ts';

const basic = {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  external_url: nullable(Type.String()),
  created_at: timestamp(),
  updated_at: timestamp(),
};
export const EnvironmentBasic = entity('EnvironmentBasic', basic);

const deployment = {
  id: Type.Integer(),
  iid: Type.Integer(),
  ref: Type.String(),
  sha: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  user: nullable(BasicUser),
  environment: EnvironmentBasic,
  deployable: nullable(Job),
  status: Type.String(),
};
export const Deployment = entity('Deployment', deployment);

export const DeploymentApproval = entity('DeploymentApproval', {
  user: nullable(BasicUser),
  status: Type.String(),
  created_at: timestamp(),
  comment: nullable(Type.String()),
});
const approvals = {
  pending_approval_count: Type.Integer(),
  approvals: Type.Array(DeploymentApproval),
  /** Whether the caller may approve or reject the deployment now. */
  user_can_approve: Type.Boolean(),
  approval_summary: Type.Object({
    rules: Type.Array(
      entity('DeploymentApprovalRule', {
        ...approvalRuleFields,
        deployment_approvals: Type.Array(DeploymentApproval),
      }),
    ),
  }),
};
/** A single deployment with its approvals. */
export const DeploymentExtended = entity('DeploymentExtended', { ...deployment, ...approvals });
export type ApprovalEntity = Static<typeof DeploymentApproval>;
export type ApprovalsEntity = Static<ReturnType<typeof Type.Object<typeof approvals>>>;
export type DeploymentExtendedEntity = Static<typeof DeploymentExtended>;

export const Environment = entity('Environment', {
  ...basic,
  tier: Type.String(),
  project: BasicProject,
  last_deployment: Type.Optional(nullable(Deployment)),
  protected: Type.Boolean(),
  /** Whether the protection rules allow the caller to deploy to the environment and to change it. */
  user_can_deploy: Type.Optional(Type.Boolean()),
  state: Type.String(),
  auto_stop_at: nullable(timestamp()),
  cluster_agent: Type.Null(),
  kubernetes_namespace: nullable(Type.String()),
  flux_resource_path: nullable(Type.String()),
  description: nullable(Type.String()),
  auto_stop_setting: Type.String(),
});
export type EnvironmentBasicEntity = Static<typeof EnvironmentBasic>;
export type DeploymentEntity = Static<typeof Deployment>;
export type EnvironmentEntity = Static<typeof Environment>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneEnvironment = { ...project, environment_id: required(param.integer()) };
export const environmentListing = {
  ...project,
  name: param.string({ description: 'Return the environment with this name' }),
  search: param.string({ description: 'Search in the name, at least 3 characters' }),
  states: param.oneOf(environmentStates),
  with_last_deployment: withDefault(param.boolean({ description: 'Include the last deployment' }), false),
};
const attributes = {
  external_url: nullAsBlank(param.string({ description: 'URL of the environment' })),
  tier: param.oneOf(tiers),
  cluster_agent_id: param.integer({ description: 'Not supported: cluster agents do not exist' }),
  kubernetes_namespace: param.string(),
  flux_resource_path: param.string(),
  description: orNull(param.string()),
  auto_stop_setting: param.oneOf(autoStopSettings),
  slug: param.string({ description: 'Not supported: generated from the name' }),
};
export const newEnvironment = { ...project, name: required(param.string()), ...attributes };
export const environmentChange = { ...oneEnvironment, ...attributes };
export const stop = { ...oneEnvironment, force: withDefault(param.boolean(), false) };
export const stopStale = { ...project, before: required(param.dateTime()) };
export const reviewApps = {
  ...project,
  before: param.dateTime({ description: 'Delete only environments created before this time; defaults to 30 days ago' }),
  limit: withDefault(param.integer(), 100),
  dry_run: withDefault(param.boolean(), true),
};
export const ReviewApps = Type.Object({
  scheduled_entries: Type.Array(EnvironmentBasic),
  unprocessable_entries: Type.Array(EnvironmentBasic),
});
export type NewEnvironmentParams = ParamsOf<typeof newEnvironment>;
export type EnvironmentChangeParams = ParamsOf<typeof environmentChange>;

export const oneDeployment = { ...project, deployment_id: required(param.integer()) };
export const deploymentListing = {
  ...project,
  ...orderParams(deploymentList.orders, 'id', 'asc'),
  ...deploymentList.params,
};
export type DeploymentListParams = ParamsOf<typeof deploymentListing>;
const reported = ['running', 'success', 'failed', 'canceled'] as const;
export const newDeployment = {
  ...project,
  environment: required(param.string()),
  sha: required(param.string()),
  ref: required(param.string()),
  tag: required(param.boolean()),
  status: required(param.oneOf(reported)),
};
export const deploymentChange = { ...oneDeployment, status: required(param.oneOf(reported)) };
export type NewDeploymentParams = ParamsOf<typeof newDeployment>;
export const approval = {
  ...oneDeployment,
  status: required(param.oneOf(approvalStatuses)),
  comment: param.string(),
  represented_as: param.string({ description: 'Name of the user, group or role that the approval represents' }),
};
export type ApprovalParams = ParamsOf<typeof approval>;
