import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Namespace } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { ApprovalRulesTable, RemovedApprovalRulesTable, RuleRow } from './tables.ts';

const ofProjects = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('approval_rules')
    .selectAll()
    .where('project_id', 'in', param.ids('ids'))
    .where('merge_request_id', 'is', null)
    // Rules of reports come last, as in GitLab.
    .orderBy((eb) => eb.case().when('rule_type', '=', 'report_approver').then(1).else(0).end())
    .orderBy('id'),
);
const ofRequests = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('approval_rules').selectAll().where('merge_request_id', 'in', param.ids('ids')).orderBy('id'),
);

const removed = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('removed_approval_rules').selectAll().where('merge_request_id', 'in', param.ids('ids')),
);

export function projectRules(db: Reader, projectIds: readonly number[]): Promise<RuleRow[]> {
  return projectIds.length === 0 ? Promise.resolve([]) : ofProjects.all(db, { ids: [...new Set(projectIds)] });
}

export function requestRules(db: Reader, ids: readonly number[]): Promise<RuleRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : ofRequests.all(db, { ids });
}

/** Project rules that merge requests have removed. */
export function removedRules(db: Reader, ids: readonly number[]): Promise<Selectable<RemovedApprovalRulesTable>[]> {
  return ids.length === 0 ? Promise.resolve([]) : removed.all(db, { ids });
}

const users = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('approval_rule_users').selectAll().where('rule_id', 'in', param.ids('ids')).orderBy('user_id'),
);
const groups = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('approval_rule_groups as g')
    .innerJoin('namespaces as n', 'n.id', 'g.namespace_id')
    .select(['g.rule_id', 'n.id', 'n.name', 'n.path', 'n.full_path', 'n.visibility'])
    .where('g.rule_id', 'in', param.ids('ids'))
    .orderBy('n.id'),
);
const groupMembers = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('approval_rule_groups as g')
    .innerJoin('members as m', 'm.namespace_id', 'g.namespace_id')
    .select(['g.rule_id', 'm.user_id'])
    .where('g.rule_id', 'in', param.ids('ids'))
    .where('m.user_id', 'is not', null),
);

const levels = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('approval_rule_levels').selectAll().where('rule_id', 'in', param.ids('ids')).orderBy('access_level'),
);
const ofLevels = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('approval_rule_levels as l')
    .innerJoin('approval_rules as r', 'r.id', 'l.rule_id')
    .innerJoin('members as m', (join) =>
      join.onRef('m.project_id', '=', 'r.project_id').onRef('m.access_level', '=', 'l.access_level'),
    )
    .select(['l.rule_id', 'm.user_id'])
    .where('l.rule_id', 'in', param.ids('ids')),
);

const branches = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('approval_rule_branches as r')
    .innerJoin('protected_branches as b', 'b.id', 'r.branch_id')
    .select(['r.rule_id', 'b.id', 'b.name'])
    .where('r.rule_id', 'in', param.ids('ids'))
    .orderBy('b.id'),
);

/** Users, groups, roles, and members of those named in rules. */
export async function approversNamedIn(db: Reader, ruleIds: readonly number[]) {
  if (ruleIds.length === 0) return { users: [], groups: [], levels: [], members: [], branches: [] };
  const [named, inGroups, members, roles, inRoles, onBranches] = await Promise.all([
    users.all(db, { ids: ruleIds }),
    groups.all(db, { ids: ruleIds }),
    groupMembers.all(db, { ids: ruleIds }),
    levels.all(db, { ids: ruleIds }),
    ofLevels.all(db, { ids: ruleIds }),
    branches.all(db, { ids: ruleIds }),
  ]);
  return { users: named, groups: inGroups, levels: roles, members: [...members, ...inRoles], branches: onBranches };
}

export function insertRule(trx: Writer, row: Insertable<ApprovalRulesTable>): Promise<RuleRow> {
  return trx.insertInto('approval_rules').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRule(trx: Writer, id: number, change: Updateable<ApprovalRulesTable>): Promise<RuleRow> {
  return trx.updateTable('approval_rules').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('approval_rules').where('id', '=', id).execute();
}

/** Removes a project rule from one merge request; idempotent under concurrent requests. */
export async function removeFromRequest(trx: Writer, requestId: number, ruleId: number): Promise<void> {
  await trx
    .insertInto('removed_approval_rules')
    .values({ merge_request_id: requestId, rule_id: ruleId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Replaces the users and groups named in a rule. */
export async function setApprovers(
  trx: Writer,
  ruleId: number,
  userIds: readonly number[],
  groupIds: readonly number[],
): Promise<void> {
  await trx.deleteFrom('approval_rule_users').where('rule_id', '=', ruleId).execute();
  await trx.deleteFrom('approval_rule_groups').where('rule_id', '=', ruleId).execute();
  const people = [...new Set(userIds)].map((user_id) => ({ rule_id: ruleId, user_id }));
  const inGroups = [...new Set(groupIds)].map((namespace_id) => ({ rule_id: ruleId, namespace_id }));
  if (people.length > 0) await trx.insertInto('approval_rule_users').values(people).execute();
  if (inGroups.length > 0) await trx.insertInto('approval_rule_groups').values(inGroups).execute();
}

/** Sets the protected branches that a rule applies to. */
export async function setBranches(trx: Writer, ruleId: number, branchIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('approval_rule_branches').where('rule_id', '=', ruleId).execute();
  const rows = [...new Set(branchIds)].map((branch_id) => ({ rule_id: ruleId, branch_id }));
  if (rows.length > 0) await trx.insertInto('approval_rule_branches').values(rows).execute();
}

const shownGroups = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('namespaces').selectAll().where('id', 'in', param.ids('ids')),
);

export function groupsById(db: Reader, ids: readonly number[]): Promise<Namespace[]> {
  return ids.length === 0 ? Promise.resolve([]) : shownGroups.all(db, { ids });
}

/** IDs of the existing users with these IDs or usernames. */
export async function usersNamed(db: Reader, ids: readonly number[], names: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('id', 'in', ids.length > 0 ? [...ids] : [0]),
        eb('username', 'in', names.length > 0 ? [...names] : ['']),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Groups named in a rule. */
export async function groupsOf(db: Reader, ruleId: number): Promise<number[]> {
  return (await groups.all(db, { ids: [ruleId] })).map(({ id }) => id);
}

/** Filters IDs to those of groups. */
export async function groupsNumbered(db: Reader, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', [...ids])
    .where('kind', '=', 'group')
    .execute();
  return rows.map(({ id }) => id);
}

const settings = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('approval_settings').selectAll().where('project_id', 'in', param.ids('ids')),
);

export function storedSettings(db: Reader, projectIds: readonly number[]) {
  return projectIds.length === 0 ? Promise.resolve([]) : settings.all(db, { ids: [...new Set(projectIds)] });
}

const aboveProjects = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .innerJoin('group_approval_settings as g', 'g.namespace_id', 'a.ancestor_id')
    .select(['p.id as project_id', 'g.settings'])
    .where('p.id', 'in', param.ids('ids')),
);

/** Approval settings of the ancestor groups of projects. */
export function settingsAbove(db: Reader, projectIds: readonly number[]) {
  return projectIds.length === 0 ? Promise.resolve([]) : aboveProjects.all(db, { ids: [...new Set(projectIds)] });
}

const ofGroup = statement((db, param: Param<{ id: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('group_approval_settings as g', 'g.namespace_id', 'a.ancestor_id')
    .select(['a.ancestor_id', 'g.settings'])
    .where('a.namespace_id', '=', param('id')),
);

/** Approval settings of a group and its ancestors. */
export function groupSettings(db: Reader, id: number) {
  return ofGroup.all(db, { id });
}

export async function writeGroupSettings(trx: Writer, namespace_id: number, text: string): Promise<void> {
  await trx
    .insertInto('group_approval_settings')
    .values({ namespace_id, settings: text })
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet({ settings: text }))
    .execute();
}

export async function writeSettings(trx: Writer, project_id: number, text: string): Promise<void> {
  await trx
    .insertInto('approval_settings')
    .values({ project_id, settings: text })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ settings: text }))
    .execute();
}

export async function insertApproval(trx: Writer, id: number, userId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: id, user_id: userId, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function deleteApproval(trx: Writer, id: number, userId: number): Promise<boolean> {
  const rows = trx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', id);
  const { numDeletedRows } = await rows.where('user_id', '=', userId).executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

/** Returns whether there were any. */
export async function deleteApprovals(trx: Writer, id: number): Promise<boolean> {
  const rows = trx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', id);
  const { numDeletedRows } = await rows.executeTakeFirst();
  return Number(numDeletedRows) > 0;
}
