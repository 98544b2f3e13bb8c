import type { Services } from '../../../../access/services.ts';
import type { OwnedPart } from '../../../../code/code-owners/public.ts';
import type { Writer } from '../../../../platform/database/database.ts';
import type { Commit } from '../../../../platform/git/objects/commit.ts';
import type { SystemAction } from '../../service.ts';
import { approvals } from '../../store.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Tips, VersionContent } from '../../versions/collect.ts';
import { isAuthorOrCommitter } from '../committers.ts';
import { isComplete } from '../complete.ts';
import { rulesOf } from '../evaluate.ts';
import { approvalSettings } from '../settings.ts';
import { deleteApproval, deleteApprovals } from '../store.ts';
import { matchingOwnerEntries, ownerRules } from './owners.ts';
import type { OwnerRule } from './store.ts';

/** Code owners of a merge request as of its current branches. */
export interface Owned {
  readonly rules: readonly OwnerRule[];
  /** CODEOWNERS sections with files changed by the last push. */
  readonly touched: readonly OwnedPart[];
}

/** Returns undefined if a branch is missing; the stored code owner rules then stay unchanged. */
export async function ownersOf(
  services: Services,
  request: Pick<MergeRequestRow, 'project_id' | 'head_sha' | 'base_sha'>,
  version: Pick<VersionContent, 'head' | 'base'> | undefined,
  { target }: Tips,
): Promise<Owned | undefined> {
  const head = version?.head ?? request.head_sha;
  const base = version?.base ?? request.base_sha;
  if (target === null || head === null || base === null) return undefined;
  const parts = await matchingOwnerEntries(services, request, target, base, head);
  const old = request.head_sha;
  const moved = parts.length > 0 && old !== null && old !== head;
  const pushed = moved ? await matchingOwnerEntries(services, request, target, old, head) : [];
  const same = (one: OwnedPart, two: OwnedPart) => one.pattern === two.pattern && one.section.name === two.section.name;
  return {
    rules: await ownerRules(services, request, parts),
    touched: pushed.filter((part) => parts.some((each) => same(each, part))),
  };
}

/** After a change of the target branch, removes the approvals if a push would remove them too. */
export async function removeApprovalsForTarget(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
): Promise<void> {
  const settings = await approvalSettings(services, trx, request.project_id);
  if (settings.reset_approvals_on_push) await deleteApprovals(trx, request.id);
}

/** A push and the user who made it. */
interface Pushed {
  readonly pusherId: number;
  readonly commits: readonly Commit[];
  readonly touched: readonly OwnedPart[];
  /** Whether what was approved is still what would be merged, such as after a rebase. */
  readonly samePatch: boolean;
}

/** How a push reset approvals. */
export interface ApprovalReset {
  readonly action: 'unapproved' | 'unapproval';
  readonly systemAction: SystemAction;
}

/**
 * Removes approvals after a push, depending on the project settings: all, those of code owners of the changed files, or
 * only those of users who committed. The first two stay while the merge request changes the same lines, and are
 * announced.
 */
export async function removeApprovals(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  pushed: Pushed,
): Promise<ApprovalReset | undefined> {
  if (((await approvals(trx, [request.id])).get(request.id) ?? []).length === 0) return undefined;
  const settings = await approvalSettings(services, trx, request.project_id);
  const wasComplete = await isComplete(services, trx, request);
  const reset = async (systemAction: SystemAction): Promise<ApprovalReset> => {
    const incomplete = wasComplete && !(await isComplete(services, trx, request));
    return { action: incomplete ? 'unapproved' : 'unapproval', systemAction };
  };
  if (settings.reset_approvals_on_push && !pushed.samePatch) {
    await deleteApprovals(trx, request.id);
    return reset('approvals_reset_on_push');
  }
  if (settings.merge_requests_disable_committers_approval)
    await removeCommittersApprovals(services, trx, request, pushed);
  if (!settings.selective_code_owner_removals || pushed.samePatch) return undefined;
  return (await removeOwnersApprovals(services, trx, request, pushed))
    ? reset('code_owner_approvals_reset_on_push')
    : undefined;
}

async function removeCommittersApprovals(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  { pusherId, commits }: Pushed,
): Promise<void> {
  for (const { user_id } of (await approvals(trx, [request.id])).get(request.id) ?? []) {
    const hasPart = user_id === pusherId || (await isAuthorOrCommitter(services, trx, user_id, commits));
    if (hasPart) await deleteApproval(trx, request.id, user_id);
  }
}

/** Returns whether there were any. */
async function removeOwnersApprovals(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  { touched }: Pushed,
): Promise<boolean> {
  if (touched.length === 0) return false;
  const rules = (await rulesOf(services, trx, [request])).get(request.id) ?? [];
  const affectedRules = rules.filter(({ rule }) =>
    touched.some(({ pattern, section }) => rule.name === pattern && rule.section === section.name),
  );
  let removed = false;
  for (const userId of new Set(affectedRules.flatMap(({ eligibleIds }) => eligibleIds))) {
    if (await deleteApproval(trx, request.id, userId)) removed = true;
  }
  return removed;
}
