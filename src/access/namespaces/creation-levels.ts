import type { Standing } from '../policy.ts';
import { Role } from '../roles.ts';
import { settingsOf } from '../stored-settings.ts';

/** Who may create projects in a group, by the group's own setting. */
export const projectCreationLevels = ['noone', 'owner', 'maintainer', 'developer', 'administrator'] as const;
export type ProjectCreationLevel = (typeof projectCreationLevels)[number];
/** The same by the numbers of the instance's `default_project_creation`. */
export const projectCreationNumbers = ['noone', 'maintainer', 'developer', 'administrator', 'owner'] as const;
/** Who may create subgroups in a group. */
export const subgroupCreationLevels = ['owner', 'maintainer'] as const;
export type SubgroupCreationLevel = (typeof subgroupCreationLevels)[number];

/** The settings of a group that names none. */
export const defaultCreationLevels = { project: 'developer', subgroup: 'maintainer' } as const;

/** A group as far as creation in it is concerned: a `GroupSubject` is one. */
export interface CreationTarget {
  readonly standing: Standing;
  readonly archived: boolean;
}

const leastForProject: Readonly<Record<ProjectCreationLevel, number>> = {
  noone: Number.POSITIVE_INFINITY,
  owner: Role.owner,
  maintainer: Role.maintainer,
  developer: Role.developer,
  administrator: Role.admin,
};
const leastForSubgroup: Readonly<Record<SubgroupCreationLevel, number>> = {
  owner: Role.owner,
  maintainer: Role.maintainer,
};

function reaches({ standing, archived }: CreationTarget, least: number): boolean {
  if (archived || !standing.signedIn) return false;
  if (standing.admin) return Role.admin >= least;
  return !standing.external && standing.level >= least;
}

/** May this actor create a project in the group, which has this `project_creation_level`? */
export function mayCreateProject(
  subject: CreationTarget,
  setting: ProjectCreationLevel = defaultCreationLevels.project,
): boolean {
  return reaches(subject, leastForProject[setting]);
}

/** May this actor create a subgroup in the group, which has this `subgroup_creation_level`? */
export function mayCreateSubgroup(
  subject: CreationTarget,
  setting: SubgroupCreationLevel = defaultCreationLevels.subgroup,
): boolean {
  return reaches(subject, leastForSubgroup[setting]);
}

/** The two settings of a group row. */
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
