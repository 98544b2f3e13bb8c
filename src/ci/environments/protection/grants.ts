import { selfAndDescendantIds } from '../../../access/namespaces/hierarchy.ts';
import { isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import { Role } from '../../../access/roles.ts';
import { groupLevels, projectLevels } from '../../../access/visibility/levels.ts';
import { isInvitedGroup } from '../../../code/protected-refs/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { GrantAction, GrantRow } from '../tables.ts';
import type { NewGrant } from './store.ts';

/** An element of `deploy_access_levels` or `approval_rules` in a request. */
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

const labels: Readonly<Record<GrantAction, string>> = { deploy: 'Deploy access levels', approve: 'Approval rules' };

/** Converts a request element to a grant; omitted attributes keep their previous values. */
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

/** Validates a grant for a project or group. Returns the error, if any. */
export async function problemOf(db: Reader, owner: ProjectOrGroup, grant: NewGrant): Promise<string | undefined> {
  const list = labels[grant.action];
  if (grant.required_approvals < 1 || grant.required_approvals > maxApprovals) {
    return `${list} required approvals must be between 1 and ${maxApprovals}`;
  }
  if (grant.user_id !== null) {
    return (await userHasAccess(db, owner, grant.user_id)) ? undefined : `${list} user has no access here`;
  }
  if (grant.group_id !== null) {
    return (await groupHasAccess(db, owner, grant.group_id)) ? undefined : `${list} group has no access here`;
  }
  return grant.access_level === null ? `${list} need one of access_level, user_id and group_id` : undefined;
}

async function userHasAccess(db: Reader, owner: ProjectOrGroup, user: number): Promise<boolean> {
  if (isProject(owner)) return (await projectLevels(db, user, owner.project)).highest > 0;
  return (await groupLevels(db, user, owner.group.id)).highest >= Role.maintainer;
}

async function groupHasAccess(db: Reader, owner: ProjectOrGroup, group: number): Promise<boolean> {
  if (isProject(owner)) return isInvitedGroup(db, group, owner.project);
  return (await selfAndDescendantIds(db, owner.group.id)).includes(group);
}
