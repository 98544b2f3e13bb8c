import type { Levels } from '../../../access/visibility/levels.ts';
import type { ApprovalRow, GrantRow, ProtectedEnvironmentRow } from '../tables.ts';

/** A grant with the name of its user or group. */
export interface NamedGrant extends GrantRow {
  readonly user_name: string | null;
  readonly group_name: string | null;
}

/** A protection rule with its grants. */
export interface Protection extends ProtectedEnvironmentRow {
  readonly grants: readonly NamedGrant[];
}

/** A user with the attributes that grants refer to. */
export interface Deployer {
  readonly userId: number;
  readonly admin: boolean;
  /** Highest role in the project. */
  readonly level: number;
  /** Roles in the groups named by grants. */
  readonly groups: ReadonlyMap<number, Levels>;
}

type GrantHolder = Pick<GrantRow, 'access_level' | 'user_id' | 'group_id' | 'group_inheritance_type'>;

/** Whether a grant applies to a user. All grants apply to administrators. */
export function grantApplies(grant: GrantHolder, deployer: Deployer): boolean {
  if (deployer.admin) return true;
  if (grant.user_id !== null) return grant.user_id === deployer.userId;
  if (grant.group_id !== null) {
    const levels = deployer.groups.get(grant.group_id);
    return levels !== undefined && (grant.group_inheritance_type === 1 ? levels.highest : levels.direct) > 0;
  }
  return grant.access_level !== null && deployer.level >= grant.access_level;
}

/** The grants with one action of these rules. */
export function grantsFor(protections: readonly Protection[], action: GrantRow['action']): NamedGrant[] {
  return protections.flatMap(({ grants }) => grants.filter((grant) => grant.action === action));
}

/** Whether all rules of an environment allow a user to deploy. */
export function mayDeploy(protections: readonly Protection[], deployer: Deployer): boolean {
  if (deployer.admin) return true;
  return protections.every((one) => grantsFor([one], 'deploy').some((grant) => grantApplies(grant, deployer)));
}

/** Grants that may approve: the approval rules or, when the rule only has a number of approvals, the deployers. */
export function approversOf(protection: Protection): NamedGrant[] {
  const approvalRules = grantsFor([protection], 'approve');
  if (approvalRules.length > 0) return approvalRules;
  return protection.required_approval_count > 0 ? grantsFor([protection], 'deploy') : [];
}

type ApprovalVote = Pick<ApprovalRow, 'status' | 'grant_id'>;

/** Number of missing approvals of a grant. */
export function missingApprovals(grant: GrantRow, approvals: readonly ApprovalVote[]): number {
  const approved = approvals.filter(({ status, grant_id }) => status === 'approved' && grant_id === grant.id).length;
  return Math.max(0, grant.required_approvals - approved);
}

/** Number of approvals that these rules still require. */
export function pendingApprovals(protections: readonly Protection[], approvals: readonly ApprovalVote[]): number {
  const approved = approvals.filter(({ status }) => status === 'approved').length;
  let pending = 0;
  for (const protection of protections) {
    const approvalRules = grantsFor([protection], 'approve');
    pending +=
      approvalRules.length > 0
        ? approvalRules.reduce((sum, grant) => sum + missingApprovals(grant, approvals), 0)
        : Math.max(0, protection.required_approval_count - approved);
  }
  return pending;
}
