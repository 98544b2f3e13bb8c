import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import type { MergeRequestRow } from '../tables.ts';
import { rejectDuplicateRule } from './duplicate-rules.ts';
import { rulesOf } from './evaluate.ts';
import { checkRule } from './rules.ts';
import { approvalSettings } from './settings.ts';
import * as store from './store.ts';
import type { ApprovalRule } from './tables.ts';

/** New number of required approvals of one rule. */
export interface RequiredChange {
  readonly id: number;
  readonly approvals_required?: number | undefined;
}

/**
 * Sets the number of approvals required by rules of a merge request, without changing their approvers. If merge
 * requests may not override rules, nothing changes, as for any other attribute of an update that the caller may not
 * change.
 */
export async function setRequired(
  services: Services,
  trx: Writer,
  subject: ProjectSubject,
  request: MergeRequestRow,
  changes: readonly RequiredChange[],
): Promise<void> {
  if (changes.length === 0 || request.state === 'merged' || !subject.can('admin_merge_request')) return;
  const settings = await approvalSettings(services, trx, request.project_id);
  if (settings.disable_overriding_approvers_per_merge_request) return;
  const rules = (await rulesOf(services, trx, [request])).get(request.id) ?? [];
  for (const change of new Map(changes.map((each) => [each.id, each])).values()) {
    checkRule(change);
    const found = rules.find(({ rule, ofGroup }) => !ofGroup && rule.id === change.id);
    if (!found || found.rule.rule_type === 'code_owner') throw NotFound.record();
    if (change.approvals_required === undefined) continue;
    await requireOf(trx, request, found, change.approvals_required);
  }
  await enqueueAutoMerge(services, trx, request);
}

const named = ({ name, rule_type }: ApprovalRule['rule']) => ({ name, rule_type });

async function requireOf(
  trx: Writer,
  request: MergeRequestRow,
  { rule, userIds, groups }: ApprovalRule,
  approvals_required: number,
): Promise<void> {
  const now = Date.now();
  if (rule.merge_request_id !== null) {
    await store.updateRule(trx, rule.id, { approvals_required, updated_at: now });
    return;
  }
  // The project rule stays unchanged for other merge requests.
  await rejectDuplicateRule(trx, { project_id: request.project_id, merge_request_id: request.id }, named(rule));
  const own = await store.insertRule(trx, {
    project_id: request.project_id,
    merge_request_id: request.id,
    source_rule_id: rule.id,
    ...named(rule),
    approvals_required,
    created_at: now,
    updated_at: now,
  });
  const groupIds = groups.map(({ id }) => id);
  await store.setApprovers(trx, own.id, userIds, groupIds);
}
