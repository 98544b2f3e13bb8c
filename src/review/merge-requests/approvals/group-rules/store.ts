import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../../platform/database/database.ts';
import type { Slice } from '../../../../platform/database/paging.ts';
import { type Param, statement } from '../../../../platform/database/statement.ts';
import type { GroupApprovalRulesTable, GroupRuleRow } from './tables.ts';

const page = statement((db, param: Param<{ group: number; limit: number; offset: number }>) =>
  db
    .selectFrom('group_approval_rules')
    .selectAll()
    .where('namespace_id', '=', param('group'))
    .orderBy('id')
    .limit(param('limit'))
    .offset(param('offset')),
);
const total = statement((db, param: Param<{ group: number }>) =>
  db
    .selectFrom('group_approval_rules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', param('group')),
);

/** Returns a page of a group's rules and their total number. */
export async function pageOfRules(db: Reader, group: number, { offset, perPage }: Slice) {
  const [rows, [counted]] = await Promise.all([
    page.all(db, { group, limit: perPage, offset }),
    total.all(db, { group }),
  ]);
  return { rows, total: Number(counted?.count ?? 0) };
}

const above = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .innerJoin('group_approval_rules as r', 'r.namespace_id', 'a.ancestor_id')
    .selectAll('r')
    .select('p.id as project_id')
    .where('p.id', 'in', param.ids('ids'))
    .orderBy('r.id'),
);

/** Rules of all ancestor groups of projects, with the project each applies to. */
export function rulesAbove(db: Reader, projectIds: readonly number[]) {
  return projectIds.length === 0 ? Promise.resolve([]) : above.all(db, { ids: [...new Set(projectIds)] });
}

/** All rules of one group. */
export function rulesOfGroup(db: Reader, group: number): Promise<GroupRuleRow[]> {
  return db.selectFrom('group_approval_rules').selectAll().where('namespace_id', '=', group).execute();
}

export function findRule(db: Reader, group: number, id: number): Promise<GroupRuleRow | undefined> {
  return db
    .selectFrom('group_approval_rules')
    .selectAll()
    .where('namespace_id', '=', group)
    .where('id', '=', id)
    .executeTakeFirst();
}

const users = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('group_approval_rule_users').selectAll().where('rule_id', 'in', param.ids('ids')).orderBy('user_id'),
);
const groups = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('group_approval_rule_groups as g')
    .innerJoin('namespaces as n', 'n.id', 'g.namespace_id')
    .select(['g.rule_id', 'n.id', 'n.name', 'n.full_path'])
    .where('g.rule_id', 'in', param.ids('ids'))
    .orderBy('n.id'),
);
const members = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('group_approval_rule_groups as g')
    .innerJoin('members as m', 'm.namespace_id', 'g.namespace_id')
    .select(['g.rule_id', 'm.user_id'])
    .where('g.rule_id', 'in', param.ids('ids'))
    .where('m.user_id', 'is not', null),
);

/** Groups named in a rule. */
export async function groupsOf(db: Reader, ruleId: number): Promise<number[]> {
  return (await groups.all(db, { ids: [ruleId] })).map(({ id }) => id);
}

/** Users, groups and group members named in group rules. */
export async function namedByGroupRules(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return { users: [], groups: [], members: [] };
  const [named, inGroups, belonging] = await Promise.all([
    users.all(db, { ids }),
    groups.all(db, { ids }),
    members.all(db, { ids }),
  ]);
  return { users: named, groups: inGroups, members: belonging };
}

export function insertRule(trx: Writer, row: Insertable<GroupApprovalRulesTable>): Promise<GroupRuleRow> {
  return trx.insertInto('group_approval_rules').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRule(
  trx: Writer,
  id: number,
  change: Updateable<GroupApprovalRulesTable>,
): Promise<GroupRuleRow> {
  return trx
    .updateTable('group_approval_rules')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Replaces the users and groups named in a rule. */
export async function setApprovers(
  trx: Writer,
  ruleId: number,
  userIds: readonly number[],
  groupIds: readonly number[],
): Promise<void> {
  await trx.deleteFrom('group_approval_rule_users').where('rule_id', '=', ruleId).execute();
  await trx.deleteFrom('group_approval_rule_groups').where('rule_id', '=', ruleId).execute();
  const people = [...new Set(userIds)].map((user_id) => ({ rule_id: ruleId, user_id }));
  const inGroups = [...new Set(groupIds)].map((namespace_id) => ({ rule_id: ruleId, namespace_id }));
  if (people.length > 0) await trx.insertInto('group_approval_rule_users').values(people).execute();
  if (inGroups.length > 0) await trx.insertInto('group_approval_rule_groups').values(inGroups).execute();
}
