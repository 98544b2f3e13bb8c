import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import { projectLevels } from '../../access/visibility/levels.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Unprocessable } from '../../platform/http/errors.ts';
import type { Grant } from './access.ts';
import { isInvitedGroup, isWritableKey } from './grant-store.ts';
import type { GrantAction } from './tables.ts';

/** An element of `allowed_to_push`, `allowed_to_merge` and similar parameters. */
export interface GrantRequest {
  readonly id?: number;
  readonly _destroy?: boolean;
  readonly access_level?: number;
  readonly user_id?: number;
  readonly group_id?: number;
  readonly deploy_key_id?: number;
}

/** Converts a request element to a grant. */
export function toGrant(action: GrantAction, element: GrantRequest): Grant {
  const { access_level = null, user_id = null, group_id = null, deploy_key_id = null } = element;
  const named = user_id !== null || group_id !== null || deploy_key_id !== null;
  return { action, access_level: named ? null : access_level, user_id, group_id, deploy_key_id };
}

/** The grants of a new rule: the given elements and level, or maintainers by default. */
export function grantsFor(
  action: GrantAction,
  level: number | undefined,
  elements: readonly GrantRequest[] | undefined,
): Grant[] {
  const result = (elements ?? []).filter((element) => element._destroy !== true).map((each) => toGrant(action, each));
  if (level !== undefined) result.unshift(toGrant(action, { access_level: level }));
  return result.length > 0 ? result : [toGrant(action, { access_level: Role.maintainer })];
}

const allowedLevels: readonly (number | null)[] = [Role.none, Role.developer, Role.maintainer, Role.admin];

/** Limited because each grant is validated by queries, and loaded with every push. */
const maxGrants = 1000;

const noAccess = 'Cannot add users or groups unless they have access to the project';
const actionNames: Readonly<Record<GrantAction, string>> = {
  push: 'Push',
  merge: 'Merge',
  unprotect: 'Unprotect',
  create: 'Create',
};

const identityOf = ({ action, access_level, user_id, group_id, deploy_key_id }: Grant) =>
  JSON.stringify([action, access_level, user_id, group_id, deploy_key_id]);

/**
 * Rejects grants for holders without access to the project, and duplicates within the request or of existing grants.
 */
export async function checkGrants(
  db: Reader,
  place: ProjectOrGroup,
  grants: readonly Grant[],
  existing: readonly Grant[] = [],
): Promise<void> {
  if (grants.length + existing.length > maxGrants)
    throw new Unprocessable([`Access levels total must be less than or equal to ${maxGrants}`]);
  const problems: string[] = [];
  const seen = new Set(existing.map(identityOf));
  for (const grant of grants) {
    const problem = await problemOf(db, place, grant);
    if (problem !== undefined) problems.push(problem);
    const key = identityOf(grant);
    if (seen.has(key)) problems.push(`${actionNames[grant.action]} access levels access level has already been taken`);
    seen.add(key);
  }
  if (problems.length > 0) throw new Unprocessable([...new Set(problems)]);
}

async function problemOf(db: Reader, place: ProjectOrGroup, grant: Grant): Promise<string | undefined> {
  const project = isProject(place) ? place.project : null;
  const list = `${actionNames[grant.action]} access levels`;
  if (grant.deploy_key_id !== null) {
    if (grant.action !== 'push' && grant.action !== 'create') return `${list} is invalid`;
    const found = project && (await isWritableKey(db, grant.deploy_key_id, project.id));
    return found ? undefined : 'Deploy key is not enabled for this project';
  }
  if (grant.user_id !== null) {
    const levels = project && (await projectLevels(db, grant.user_id, project));
    return levels && levels.highest >= Role.developer ? undefined : noAccess;
  }
  if (grant.group_id !== null) {
    return project && (await isInvitedGroup(db, grant.group_id, project)) ? undefined : noAccess;
  }
  if (!allowedLevels.includes(grant.access_level)) return `${list} access level is not included in the list`;
  if (grant.action === 'unprotect' && grant.access_level === Role.none) {
    return `${list} access level is not included in the list`;
  }
  return undefined;
}
