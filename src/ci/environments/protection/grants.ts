import { descendantsOf } from '../../../access/namespaces/hierarchy.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import { Role } from '../../../access/roles.ts';
import { groupLevels, projectLevels } from '../../../access/visibility/levels.ts';
import { isInvitedGroup } from '../../../code/protected-refs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { GrantAction, GrantRow } from '../tables.ts';
import type { NewGrant } from './store.ts';

/** One element of `deploy_access_levels` or `approval_rules`, as sent. */
export interface GrantRequest {
  readonly id?: number;
  readonly _destroy?: boolean;
  readonly access_level?: number;
  readonly user_id?: number;
  readonly group_id?: number;
  readonly group_inheritance_type?: number;
  readonly required_approvals?: number;
}

export const maxApprovals = 5;

const words: Readonly<Record<GrantAction, string>> = { deploy: 'Deploy access levels', approve: 'Approval rules' };

/** An element as a grant; what it does not speak of stays as it was. */
export function toGrant(action: GrantAction, element: GrantRequest, before?: GrantRow): NewGrant {
  const { access_level = null, user_id = null, group_id = null } = element;
  const named = user_id !== null || group_id !== null;
  const holder =
    before && !named && access_level === null
      ? { access_level: before.access_level, user_id: before.user_id, group_id: before.group_id }
      : { access_level: named ? null : access_level, user_id, group_id: user_id === null ? group_id : null };
  return {
    action,
    ...holder,
    group_inheritance_type: element.group_inheritance_type ?? before?.group_inheritance_type ?? 0,
    required_approvals: element.required_approvals ?? before?.required_approvals ?? 1,
  };
}

/** Why a grant cannot be given here; undefined where it can. */
export async function problemOf(db: Reader, place: ProjectOrGroup, grant: NewGrant): Promise<string | undefined> {
  const list = words[grant.action];
  if (grant.required_approvals < 1 || grant.required_approvals > maxApprovals) {
    return `${list} required approvals must be between 1 and ${maxApprovals}`;
  }
  if (grant.user_id !== null) {
    return (await isUserHere(db, place, grant.user_id)) ? undefined : `${list} user has no access here`;
  }
  if (grant.group_id !== null) {
    return (await isGroupHere(db, place, grant.group_id)) ? undefined : `${list} group has no access here`;
  }
  return grant.access_level === null ? `${list} need one of access_level, user_id and group_id` : undefined;
}

async function isUserHere(db: Reader, place: ProjectOrGroup, user: number): Promise<boolean> {
  if (isProject(place)) return (await projectLevels(db, user, place.project)).highest > 0;
  return (await groupLevels(db, user, place.group.id)).highest >= Role.maintainer;
}

async function isGroupHere(db: Reader, place: ProjectOrGroup, group: number): Promise<boolean> {
  if (isProject(place)) return isInvitedGroup(db, group, place.project);
  return (await descendantsOf(db, place.group.id)).includes(group);
}
