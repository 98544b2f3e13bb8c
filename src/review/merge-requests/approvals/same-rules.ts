import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import * as store from './store.ts';
import type { RuleRow } from './tables.ts';

type Alike = Pick<RuleRow, 'id' | 'name' | 'rule_type'>;

/** Refuses a rule beside others of the same place: names are there once for each kind, and one rule is for anybody. */
export function refuseSame(
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

/** The same of a project or merge request, whose rules are then written by one at a time. */
export async function refuseSameRule(
  trx: Writer,
  { project_id, merge_request_id }: Pick<RuleRow, 'project_id' | 'merge_request_id'>,
  rule: Parameters<typeof refuseSame>[1],
): Promise<void> {
  if (merge_request_id === null) {
    await lockRow(trx, 'projects', project_id);
    return refuseSame(await store.projectRules(trx, [project_id]), rule, 'project');
  }
  await lockRow(trx, 'merge_requests', merge_request_id);
  refuseSame(await store.requestRules(trx, [merge_request_id]), rule, 'merge request');
}
