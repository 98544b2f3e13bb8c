import type { Actor } from '../../../../access/actor.ts';
import type { Services } from '../../../../access/services.ts';
import type { GroupSubject } from '../../../../access/subjects.ts';
import type { Writer } from '../../../../platform/database/database.ts';
import { lockRow } from '../../../../platform/database/locks.ts';
import { NotFound } from '../../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../../platform/http/pages/pagination.ts';
import { rejectDuplicate } from '../duplicate-rules.ts';
import { checkRule, fieldsOf, namesIn, visibleApprovers } from '../rules.ts';
import { namedRules } from './inherited-rules.ts';
import type { GroupRuleChange } from './schema.ts';
import * as store from './store.ts';
import type { GroupRuleRow } from './tables.ts';

const nowhere = 0;

async function present(services: Services, caller: Actor, rows: readonly GroupRuleRow[]) {
  const rules = await namedRules(
    services.db.read,
    rows.map((row) => ({ ...row, project_id: nowhere })),
  );
  const shown = await visibleApprovers(services, caller, rules);
  return rules.map((rule) => ({
    ...fieldsOf(rule, shown),
    protected_branches: [],
    applies_to_all_protected_branches: true,
  }));
}

async function presentOne(services: Services, caller: Actor, row: GroupRuleRow) {
  const [entity] = await present(services, caller, [row]);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function listGroupRules(services: Services, caller: Actor, { group }: GroupSubject, page: PageRequest) {
  const { rows, total } = await store.pageOfRules(services.db.read, group.id, page);
  return new Page(await present(services, caller, rows), total);
}

async function requireRule(services: Services, { group }: GroupSubject, id: number): Promise<GroupRuleRow> {
  const found = await store.findRule(services.db.read, group.id, id);
  if (!found) throw NotFound.record();
  return found;
}

export async function getGroupRule(services: Services, caller: Actor, subject: GroupSubject, id: number) {
  return presentOne(services, caller, await requireRule(services, subject, id));
}

/** Rejects a duplicate rule; the lock serializes changes to the rules of a group. */
async function refuseSameIn(trx: Writer, groupId: number, rule: Parameters<typeof rejectDuplicate>[1]): Promise<void> {
  await lockRow(trx, 'namespaces', groupId);
  rejectDuplicate(await store.rulesOfGroup(trx, groupId), rule, 'group');
}

export async function createGroupRule(
  services: Services,
  caller: Actor,
  { group }: GroupSubject,
  wanted: GroupRuleChange,
) {
  checkRule(wanted);
  const { users, groups } = await namesIn(services, caller, wanted);
  const withoutApprovers = users.length === 0 && groups.length === 0;
  const now = Date.now();
  const named = {
    name: wanted.name ?? 'All members',
    rule_type: wanted.rule_type ?? (withoutApprovers ? 'any_approver' : 'regular'),
  } as const;
  const rule = await services.db.write(async (trx) => {
    await refuseSameIn(trx, group.id, named);
    const made = await store.insertRule(trx, {
      namespace_id: group.id,
      ...named,
      approvals_required: wanted.approvals_required ?? 0,
      created_at: now,
      updated_at: now,
    });
    await store.setApprovers(trx, made.id, users, groups);
    return made;
  });
  return presentOne(services, caller, rule);
}

export async function updateGroupRule(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  id: number,
  wanted: GroupRuleChange,
) {
  const before = await requireRule(services, subject, id);
  checkRule(wanted);
  const { users, groups } = await namesIn(services, caller, wanted, await store.groupsOf(services.db.read, id));
  const { name, approvals_required, rule_type } = wanted;
  const rule = await services.db.write(async (trx) => {
    const named = { id, name: name ?? before.name, rule_type: rule_type ?? before.rule_type };
    if (named.name !== before.name || named.rule_type !== before.rule_type) {
      await refuseSameIn(trx, subject.group.id, named);
    }
    // Users and groups that are left out are removed from the rule.
    await store.setApprovers(trx, id, users, groups);
    return store.updateRule(trx, id, {
      ...(name !== undefined && { name }),
      ...(approvals_required !== undefined && { approvals_required }),
      ...(rule_type !== undefined && { rule_type }),
      updated_at: Date.now(),
    });
  });
  return presentOne(services, caller, rule);
}
