import type { Entity } from '../frame/api.ts';
import type { Visit } from '../frame/visit.ts';

export const roles: readonly (readonly [level: string, name: string])[] = [
  ['10', 'Guest'],
  ['15', 'Planner'],
  ['20', 'Reporter'],
  ['30', 'Developer'],
  ['40', 'Maintainer'],
  ['50', 'Owner'],
];

export function roleName(level: number): string {
  if (level === 5) return 'Minimal access';
  return roles.find(([one]) => one === String(level))?.[1] ?? String(level);
}

/** Access level of administrators, above all roles. */
export const adminAccessLevel = 60;

/** The user's access level in a project. It only determines which buttons are shown. */
export function roleInProject({ user }: Visit, project: Entity): number {
  if (!user) return 0;
  if (user.admin) return adminAccessLevel;
  const { project_access, group_access } = project.permissions ?? {};
  return Math.max(project_access?.access_level ?? 0, group_access?.access_level ?? 0);
}

/**
 * Minimum access level for reading features of a private project. Most require Reporter; code and merge requests are
 * open to Planners too.
 */
const readFrom: Readonly<Record<string, number>> = {
  repository: 15,
  merge_requests: 15,
  package_registry: 20,
  environments: 20,
  container_registry: 20,
};

/** Whether the user can read a feature of a project; determines which links are shown. */
export function readsPart(visit: Visit, project: Entity, part: string): boolean {
  const level = project[`${part}_access_level`];
  if (level === 'disabled') return false;
  const isGuarded = level === 'private' || project.visibility === 'private';
  return !isGuarded || visit.user?.auditor === 1 || roleInProject(visit, project) >= (readFrom[part] ?? 10);
}
