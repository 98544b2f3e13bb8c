import type { Levels } from '../../../access/visibility/levels.ts';
import type { ApprovalRow, GrantRow, ProtectedEnvironmentRow } from '../tables.ts';

/** A grant with the name of whom it means. */
export interface NamedGrant extends GrantRow {
  readonly user_name: string | null;
  readonly group_name: string | null;
}

/** A rule over an environment, with everything it grants. */
export interface Protection extends ProtectedEnvironmentRow {
  readonly grants: readonly NamedGrant[];
}

/** Somebody, as rules over environments see them. */
export interface Deployer {
  readonly userId: number;
  readonly admin: boolean;
  /** The highest role in the project. */
  readonly level: number;
  /** Their roles in the groups that the rules name. */
  readonly groups: ReadonlyMap<number, Levels>;
}

type Holder = Pick<GrantRow, 'access_level' | 'user_id' | 'group_id' | 'group_inheritance_type'>;

/** Does a grant include somebody? Administrators are in all of them. */
export function includes(grant: Holder, deployer: Deployer): boolean {
  if (deployer.admin) return true;
  if (grant.user_id !== null) return grant.user_id === deployer.userId;
  if (grant.group_id !== null) {
    const levels = deployer.groups.get(grant.group_id);
    return levels !== undefined && (grant.group_inheritance_type === 1 ? levels.highest : levels.direct) > 0;
  }
  return grant.access_level !== null && deployer.level >= grant.access_level;
}

/** The grants of one kind of all these rules. */
export function grantsFor(protections: readonly Protection[], action: GrantRow['action']): NamedGrant[] {
  return protections.flatMap(({ grants }) => grants.filter((grant) => grant.action === action));
}

/** Whether every rule over an environment lets somebody deploy. */
export function mayDeploy(protections: readonly Protection[], deployer: Deployer): boolean {
  if (deployer.admin) return true;
  return protections.every((one) => grantsFor([one], 'deploy').some((grant) => includes(grant, deployer)));
}

/** Who of a rule may approve: those whom it names for that, or those who may deploy where only a number is asked for. */
export function approversOf(protection: Protection): NamedGrant[] {
  const named = grantsFor([protection], 'approve');
  if (named.length > 0) return named;
  return protection.required_approval_count > 0 ? grantsFor([protection], 'deploy') : [];
}

type Voice = Pick<ApprovalRow, 'status' | 'grant_id'>;

/** How many approvals one grant still waits for. */
export function lackingOf(grant: GrantRow, approvals: readonly Voice[]): number {
  const given = approvals.filter(({ status, grant_id }) => status === 'approved' && grant_id === grant.id).length;
  return Math.max(0, grant.required_approvals - given);
}

/** How many approvals these rules ask for beyond those that were given. */
export function pendingApprovals(protections: readonly Protection[], approvals: readonly Voice[]): number {
  const approved = approvals.filter(({ status }) => status === 'approved').length;
  let pending = 0;
  for (const protection of protections) {
    const named = grantsFor([protection], 'approve');
    pending +=
      named.length > 0
        ? named.reduce((sum, grant) => sum + lackingOf(grant, approvals), 0)
        : Math.max(0, protection.required_approval_count - approved);
  }
  return pending;
}
