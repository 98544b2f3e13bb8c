import { findBranchRule } from '../../../code/protected-refs/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { rejectDuplicateRule } from '../approvals/duplicate-rules.ts';
import { checkRule } from '../approvals/rules.ts';
import { insertRule, setApprovers, setBranches } from '../approvals/store.ts';
import type { RuleRow } from '../approvals/tables.ts';

/** An approval rule of an imported project. */
export interface ImportedRule extends Pick<RuleRow, 'name' | 'report_type' | 'approvals_required'> {
  readonly rule_type: 'regular' | 'any_approver' | 'report_approver' | undefined;
  readonly everywhere: boolean;
  readonly userIds: readonly number[];
  /** Names of protected branches; those that the project does not protect are left out. */
  readonly branches: readonly string[];
}

/** Adds an approval rule. Returns null for a rule that depends on a report that is not supported. */
export async function addImportedRule(
  trx: Writer,
  projectId: number,
  { rule_type = 'regular', everywhere, userIds, branches, ...rule }: ImportedRule,
): Promise<number | null> {
  if ((rule_type === 'report_approver') !== (rule.report_type !== null)) return null;
  checkRule({ name: rule.name, approvals_required: rule.approvals_required });
  const place = { project_id: projectId, merge_request_id: null, source_rule_id: null };
  await rejectDuplicateRule(trx, place, { name: rule.name, rule_type });
  const now = Date.now();
  const { id } = await insertRule(trx, {
    ...place,
    ...rule,
    rule_type,
    applies_to_all_protected_branches: everywhere ? 1 : 0,
    created_at: now,
    updated_at: now,
  });
  await setApprovers(trx, id, userIds, []);
  const ids: number[] = [];
  for (const name of branches) {
    const found = await findBranchRule(trx, { project_id: projectId, namespace_id: null }, name);
    if (found) ids.push(found.id);
  }
  await setBranches(trx, id, ids);
  return id;
}
