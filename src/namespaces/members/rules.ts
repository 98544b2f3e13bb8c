import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { roleName } from '../../access/roles.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { isLevelOf, mayGrant } from './grants.ts';
import { inheritedMember } from './store.ts';

/** Refuses a level that nobody can have in such a place. */
export function checkLevel(place: ProjectOrGroup, level: number): void {
  const kind = isProject(place) ? 'project' : place.group.parent_id === null ? 'top-level group' : 'subgroup';
  if (!isLevelOf(level, kind)) throw new Invalid({ access_level: ['is not included in the list'] });
}

/** Refuses to give, or to touch, a level that the caller has no say over. */
export function checkGrant({ standing }: ProjectOrGroup, level: number): void {
  if (!mayGrant(standing, level)) throw new Forbidden();
}

/** Refuses a role of one's own that is lower than the one inherited anyway. */
export async function checkInherited(db: Reader, place: ProjectOrGroup, userId: number, level: number): Promise<void> {
  const inherited = await inheritedMember(db, place, userId);
  if (!inherited || level >= inherited.access_level) return;
  const role = roleName(inherited.access_level);
  throw new Invalid({
    access_level: [`should be greater than or equal to ${role} inherited membership from group ${inherited.name}`],
  });
}
