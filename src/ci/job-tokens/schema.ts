import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const scope = { ...project, enabled: required(param.boolean()) };
export const newProject = { ...project, target_project_id: required(param.integer()) };
export const newGroup = { ...project, target_group_id: required(param.integer()) };

const Reference = Type.Object({ id: Type.Integer() });
/** Job details that a cluster agent server requests to authorize a job. */
export const AllowedAgents = entity('JobAllowedAgents', {
  allowed_agents: Type.Array(Type.Object({ id: Type.Integer() })),
  job: Reference,
  pipeline: Reference,
  project: Type.Object({ id: Type.Integer(), groups: Type.Array(Reference) }),
  user: Type.Object({ id: Type.Integer(), username: Type.String(), roles_in_project: Type.Array(Type.String()) }),
  environment: Type.Optional(Type.Object({ tier: Type.String(), slug: Type.String() })),
});
export type AllowedAgentsEntity = Static<typeof AllowedAgents>;

export const JobTokenScope = entity('JobTokenScope', {
  inbound_enabled: Type.Boolean(),
  outbound_enabled: Type.Boolean(),
});
export const AllowedProject = entity('JobTokenAllowedProject', {
  source_project_id: Type.Integer(),
  target_project_id: Type.Integer(),
});
export const NewAllowedGroup = entity('JobTokenAllowedGroup', {
  source_project_id: Type.Integer(),
  target_group_id: Type.Integer(),
});
export const AllowedGroup = entity('JobTokenGroup', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
});
