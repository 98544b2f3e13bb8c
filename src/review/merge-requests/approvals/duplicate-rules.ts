import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import * as store from './store.ts';
import type { RuleRow } from './tables.ts';

type Alike = Pick<RuleRow, 'id' | 'name' | 'rule_type'>;

/**
 * Rejects a rule if another one of the same owner has its name and type, or if it is a second rule for any approver.
 */
export function rejectDuplicate(
  others: readonly Alike[],
  rule: Omit<Alike, 'id'> & { readonly id?: number },
  place: 'project' | 'merge request' | 'group',
): void {
  const alike = others.filter(({ id, rule_type }) => id !== rule.id && rule_type === rule.rule_type);
  const problems = {
    ...(alike.some(({ name }) => name === rule.name) && { name: ['has already been taken'] }),
    ...(rule.rule_type === 'any_approver' &&
      alike.length > 0 && { rule_type: [`any-approver for the ${place} already exists`] }),
  };
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Does the same for a project or merge request, after locking it to serialize changes to its rules. */
export async function rejectDuplicateRule(
  trx: Writer,
  { project_id, merge_request_id }: Pick<RuleRow, 'project_id' | 'merge_request_id'>,
  rule: Parameters<typeof rejectDuplicate>[1],
): Promise<void> {
  if (merge_request_id === null) {
    await lockRow(trx, 'projects', project_id);
    return rejectDuplicate(await store.projectRules(trx, [project_id]), rule, 'project');
  }
  await lockRow(trx, 'merge_requests', merge_request_id);
  rejectDuplicate(await store.requestRules(trx, [merge_request_id]), rule, 'merge request');
}
