import type { Reader } from '../../platform/database/database.ts';

/** Configuration is limited per project, so it is read at once. */
export function badgesOf(db: Reader, projectId: number) {
  return db.selectFrom('badges').selectAll().where('project_id', '=', projectId).orderBy('id').execute();
}

export function pushRuleOf(db: Reader, projectId: number) {
  return db.selectFrom('push_rules').selectAll().where('project_id', '=', projectId).execute();
}

export function schedulesOf(db: Reader, projectId: number) {
  return db.selectFrom('pipeline_schedules').selectAll().where('project_id', '=', projectId).orderBy('id').execute();
}

export function protectedEnvironmentsOf(db: Reader, projectId: number) {
  return db
    .selectFrom('protected_environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}

/** Roles that may deploy or approve. Users and groups are not portable, so they are not exported. */
export function environmentGrants(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('protected_environment_grants')
    .select(['protected_environment_id as of', 'action', 'access_level', 'required_approvals'])
    .where('protected_environment_id', 'in', ids)
    .where('access_level', 'is not', null)
    .orderBy('id')
    .execute();
}

/** Settings of approvals that the project changed, as JSON. */
export function approvalSettingsOf(db: Reader, projectId: number) {
  return db.selectFrom('approval_settings').select('settings').where('project_id', '=', projectId).executeTakeFirst();
}

export function approvalRulesOf(db: Reader, projectId: number) {
  return db
    .selectFrom('approval_rules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('merge_request_id', 'is', null)
    .orderBy('id')
    .execute();
}

export function approversOf(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('approval_rule_users')
    .select(['rule_id as of', 'user_id'])
    .where('rule_id', 'in', ids)
    .orderBy('user_id')
    .execute();
}

export function approvedBranches(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('approval_rule_branches as r')
    .innerJoin('protected_branches as b', 'b.id', 'r.branch_id')
    .select(['r.rule_id as of', 'b.name'])
    .where('r.rule_id', 'in', ids)
    .orderBy('b.id')
    .execute();
}
