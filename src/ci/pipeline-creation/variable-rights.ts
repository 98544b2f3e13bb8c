import { Role } from '../../access/roles.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';

const overridingRoles: Readonly<Record<string, number>> = {
  developer: Role.developer,
  maintainer: Role.maintainer,
  owner: Role.owner,
};

/** Whether a user who may start pipelines may also set variables for them. */
export function maySetVariables({ project, standing }: ProjectSubject): boolean {
  const { ci_pipeline_variables_minimum_override_role: role, restrict_user_defined_variables } = settingsOf(project);
  if (role === 'no_one_allowed') return false;
  const configuredLevel = typeof role === 'string' ? overridingRoles[role] : undefined;
  const minLevel = configuredLevel ?? (restrict_user_defined_variables === true ? Role.maintainer : Role.developer);
  return standing.admin || standing.level >= minLevel;
}
