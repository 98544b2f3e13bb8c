import type { Standing } from '../policy.ts';
import { Role } from '../roles.ts';
import { settingsOf } from '../stored-settings.ts';

/** Who may create projects in a group, as values of the group's own setting. */
export const projectCreationLevels = ['noone', 'owner', 'maintainer', 'developer', 'administrator'] as const;
export type ProjectCreationLevel = (typeof projectCreationLevels)[number];
/** The same, by the numbers of the instance's `default_project_creation`. */
export const projectCreationNumbers = ['noone', 'maintainer', 'developer', 'administrator', 'owner'] as const;
/** Who may create subgroups in a group. */
export const subgroupCreationLevels = ['owner', 'maintainer'] as const;
export type SubgroupCreationLevel = (typeof subgroupCreationLevels)[number];

/** The default settings of a group. */
export const defaultCreationLevels = { project: 'developer', subgroup: 'maintainer' } as const;

/** The part of a `GroupSubject` that decides about creation in it. */
export interface CreationTarget {
  readonly standing: Standing;
  readonly archived: boolean;
}

const minRoleForProject: Readonly<Record<ProjectCreationLevel, number>> = {
  noone: Number.POSITIVE_INFINITY,
  owner: Role.owner,
  maintainer: Role.maintainer,
  developer: Role.developer,
  administrator: Role.admin,
};
const minRoleForSubgroup: Readonly<Record<SubgroupCreationLevel, number>> = {
  owner: Role.owner,
  maintainer: Role.maintainer,
};

function reaches({ standing, archived }: CreationTarget, least: number): boolean {
  if (archived || !standing.signedIn) return false;
  if (standing.admin) return Role.admin >= least;
  return !standing.external && standing.level >= least;
}

/** Whether the actor may create a project in a group with this `project_creation_level`. */
export function mayCreateProject(
  subject: CreationTarget,
  setting: ProjectCreationLevel = defaultCreationLevels.project,
): boolean {
  return reaches(subject, minRoleForProject[setting]);
}

/** Whether the actor may create a subgroup in a group with this `subgroup_creation_level`. */
export function mayCreateSubgroup(
  subject: CreationTarget,
  setting: SubgroupCreationLevel = defaultCreationLevels.subgroup,
): boolean {
  return reaches(subject, minRoleForSubgroup[setting]);
}

/** The two settings of a group. */
export function creationLevelsOf(group: { readonly settings: string }): {
  project: ProjectCreationLevel;
  subgroup: SubgroupCreationLevel;
} {
  const { project_creation_level: project, subgroup_creation_level: subgroup } = settingsOf(group);
  return {
    project: projectCreationLevels.find((level) => level === project) ?? defaultCreationLevels.project,
    subgroup: subgroupCreationLevels.find((level) => level === subgroup) ?? defaultCreationLevels.subgroup,
  };
}
