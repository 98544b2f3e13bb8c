import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const project = { id: required(param.string({ description: 'Number or URL-encoded path of the project' })) };
export const scope = { ...project, enabled: required(param.boolean()) };
export const newProject = { ...project, target_project_id: required(param.integer()) };
export const newGroup = { ...project, target_group_id: required(param.integer()) };

const numbered = Type.Object({ id: Type.Integer() });
/** What agents of clusters ask about a job that wants to be let in by one. */
export const AllowedAgents = entity('JobAllowedAgents', {
  allowed_agents: Type.Array(Type.Object({ id: Type.Integer() })),
  job: numbered,
  pipeline: numbered,
  project: Type.Object({ id: Type.Integer(), groups: Type.Array(numbered) }),
  user: Type.Object({ id: Type.Integer(), username: Type.String(), roles_in_project: Type.Array(Type.String()) }),
  environment: Type.Optional(Type.Object({ tier: Type.String(), slug: Type.String() })),
});
export type AllowedAgentsEntity = Static<typeof AllowedAgents>;

export const JobTokenScope = entity('JobTokenScope', {
  inbound_enabled: Type.Boolean(),
  outbound_enabled: Type.Boolean(),
});
export const AdmittedProject = entity('JobTokenAllowedProject', {
  source_project_id: Type.Integer(),
  target_project_id: Type.Integer(),
});
export const NewAdmittedGroup = entity('JobTokenAllowedGroup', {
  source_project_id: Type.Integer(),
  target_group_id: Type.Integer(),
});
export const AdmittedGroup = entity('JobTokenGroup', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
});
