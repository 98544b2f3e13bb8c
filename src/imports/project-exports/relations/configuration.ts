import type { Services } from '../../../access/services.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import * as rows from '../configuration-store.ts';
import { groupByParent, idsOf, type Line } from './walk.ts';

export async function* badges({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  for (const { name, link_url, image_url, created_at, updated_at } of await rows.badgesOf(db.read, projectId)) {
    const at = { created_at: instant(created_at), updated_at: instant(updated_at) };
    yield { type: 'ProjectBadge', name, link_url, image_url, ...at };
  }
}

export async function* pushRule({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  for (const { id: _, project_id: __, namespace_id: ___, created_at, ...rule } of await rows.pushRuleOf(
    db.read,
    projectId,
  )) {
    const values = Object.entries(rule).map(([name, value]) => [
      name,
      typeof value === 'number' && name !== 'max_file_size' ? value === 1 : value,
    ]);
    yield { ...Object.fromEntries(values), created_at: instant(created_at) };
  }
}

/** Pipeline schedules without variables and inputs, which can be secret. */
export async function* schedules({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  for (const row of await rows.schedulesOf(db.read, projectId)) {
    yield {
      description: row.description,
      ref: row.ref,
      cron: row.cron,
      cron_timezone: row.cron_timezone,
      active: row.active === 1,
      next_run_at: instantOrNull(row.next_run_at),
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
    };
  }
}

export async function* protectedEnvironments({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.protectedEnvironmentsOf(db.read, projectId);
  if (found.length === 0) return;
  const grants = groupByParent(await rows.environmentGrants(db.read, idsOf(found)), ({ of }) => of);
  for (const { id, name, required_approval_count, created_at, updated_at } of found) {
    const of = (wanted: string) => grants(id).filter(({ action }) => action === wanted);
    yield {
      name,
      required_approval_count,
      created_at: instant(created_at),
      updated_at: instant(updated_at),
      deploy_access_levels: of('deploy').map(({ access_level }) => ({ access_level })),
      approval_rules: of('approve').map(({ access_level, required_approvals }) => ({
        access_level,
        required_approvals,
      })),
    };
  }
}

/** Approval rules of the project, with the users and protected branches they name. */
export async function* approvalRules({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.approvalRulesOf(db.read, projectId);
  if (found.length === 0) return;
  const ids = idsOf(found);
  const [people, branches] = await Promise.all([rows.approversOf(db.read, ids), rows.approvedBranches(db.read, ids)]);
  const [peopleOf, branchesOf] = [groupByParent(people, ({ of }) => of), groupByParent(branches, ({ of }) => of)];
  for (const rule of found) {
    yield {
      name: rule.name,
      rule_type: rule.rule_type,
      report_type: rule.report_type,
      approvals_required: rule.approvals_required,
      applies_to_all_protected_branches: rule.applies_to_all_protected_branches === 1,
      approval_project_rules_users: peopleOf(rule.id).map(({ user_id }) => ({ user_id })),
      approval_project_rules_protected_branches: branchesOf(rule.id).map(({ name }) => ({ branch_name: name })),
    };
  }
}
