import {
  type CustomPermission,
  customPermissions,
  type PermissionDefinition,
  permissionNames,
} from './custom-permissions.ts';
import { type AbilityRule, groupAbilities, projectAbilities } from './policy.ts';

/** Where a role is given: in a group, it applies to the projects below too. */
export type RolePlace = 'project' | 'group';

type Rules = readonly AbilityRule[];
const ofProjects: Rules = Object.values(projectAbilities);
const ofGroups: Rules = Object.values(groupAbilities);

const grantedBy = (rules: Rules, permission: CustomPermission) =>
  rules
    .filter(({ custom }) => custom?.includes(permission))
    .map(({ least, leastPrivate = least }) => Math.max(least, leastPrivate));

/** The lowest default role that has all that a permission grants. */
function leastRoleWith(permission: CustomPermission, place: RolePlace): number {
  const { withoutFeature }: PermissionDefinition = customPermissions[permission];
  const inProjects = grantedBy(ofProjects, permission);
  const isEnough = place === 'project' && inProjects.length > 0;
  return Math.max(withoutFeature ?? 0, ...inProjects, ...(isEnough ? [] : grantedBy(ofGroups, permission)));
}

const leastRoles = (place: RolePlace) =>
  new Map(permissionNames.map((permission) => [permission, leastRoleWith(permission, place)]));
const leastRolesIn = { project: leastRoles('project'), group: leastRoles('group') };

/** A default role, and what is added to it. */
interface Held {
  readonly level: number;
  readonly permissions?: ReadonlySet<CustomPermission> | undefined;
}

/** Whether a default role and the permissions added to it cover all of these. */
export function holdsAll(
  { level, permissions }: Held,
  wanted: Iterable<CustomPermission>,
  place: RolePlace = 'group',
): boolean {
  const includes = (permission: CustomPermission) =>
    level >= (leastRolesIn[place].get(permission) ?? Number.POSITIVE_INFINITY);
  return [...wanted].every((permission) => permissions?.has(permission) || includes(permission));
}

/** Why a role cannot have these permissions, or undefined. */
export function permissionsProblem(level: number, permissions: ReadonlySet<CustomPermission>): string | undefined {
  if (permissions.size === 0) return 'Cannot create a member role with no enabled permissions';
  for (const permission of permissions) {
    const { requires }: PermissionDefinition = customPermissions[permission];
    const needed = permissionNames.find((name) => name === requires);
    if (needed === undefined || holdsAll({ level, permissions }, [needed])) continue;
    return `${asWords(needed)} has to be enabled in order to enable ${asWords(permission)}`;
  }
  return undefined;
}

function asWords(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
