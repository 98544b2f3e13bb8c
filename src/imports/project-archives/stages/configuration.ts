import { Role } from '../../../access/roles.ts';
import { insertBadge } from '../../../ci/badges/public.ts';
import { findProtection, protectEnvironment } from '../../../ci/environments/public.ts';
import { addImportedSchedule } from '../../../ci/schedules/public.ts';
import { pushRuleFlags, pushRuleRegexes, putPushRule } from '../../../code/protected-refs/public.ts';
import { importedRequests } from '../../../review/merge-requests/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { amountOf, enumOf, type Fields, flagOf, listOf, numberOf, textOf, timeOf } from '../fields.ts';
import { contextOf } from './context.ts';
import { importerOf } from './places.ts';

/** Imports pipeline schedules. They are inactive and belong to the requesting user, because they run as their owner. */
export async function importSchedules(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  await every('pipeline_schedules', async (schedule, line) => {
    const ref = textOf(schedule.ref) ?? '';
    await run.once('pipeline_schedule', line, async (trx) => {
      if (ref === '' || ref.length > 255) throw new Error('it has no branch or tag');
      const { id } = await addImportedSchedule(trx, {
        project_id: run.project.id,
        owner_id: run.userId,
        description: textOf(schedule.description) ?? '',
        ref: /^refs\/(?:heads|tags)\//.test(ref) ? ref : `refs/heads/${ref}`,
        cron: textOf(schedule.cron) ?? '',
        cron_timezone: textOf(schedule.cron_timezone) ?? 'UTC',
        created_at: timeOf(schedule.created_at),
        updated_at: timeOf(schedule.updated_at),
      });
      return id;
    });
  });
}

/** Writes a record by a service with its own transaction, unless an earlier attempt did. */
async function settle(run: ImportRun, kind: string, named: string | number, write: () => Promise<unknown>) {
  try {
    await write();
  } catch (error) {
    return run.fail(kind, named, error);
  }
  await run.once(kind, named, async () => null);
}

const levels: readonly unknown[] = [Role.developer, Role.maintainer, Role.admin];
const levelsIn = (list: unknown) => listOf(list).filter(({ access_level }) => levels.includes(access_level));

/** Imports protected environments. Users and groups are not portable: without a role, Maintainers may deploy. */
export async function importProtectedEnvironments(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  const { subject, actor } = await importerOf(run);
  const { services, project } = run;
  const owner = { project_id: project.id, namespace_id: null };
  await every('protected_environments', async (environment) => {
    const name = textOf(environment.name) ?? '';
    if (await findProtection(services.db.read, owner, name)) return;
    const deploy = levelsIn(environment.deploy_access_levels).map(({ access_level }) => Number(access_level));
    await settle(run, 'protected_environment', name, () =>
      protectEnvironment(services, actor, subject, {
        id: `${project.id}`,
        name,
        deploy_access_levels: [...new Set(deploy.length > 0 ? deploy : [Role.maintainer])].map((access_level) => ({
          access_level,
        })),
        required_approval_count: amountOf(environment.required_approval_count),
        approval_rules: levelsIn(environment.approval_rules).map(({ access_level, required_approvals }) => ({
          access_level: Number(access_level),
          required_approvals: numberOf(required_approvals) ?? 1,
        })),
      }),
    );
  });
}

/** Imports the approval rules of the project. */
export async function importApprovalRules(run: ImportRun): Promise<void> {
  const { every, person } = await contextOf(run);
  await every('approval_rules', async (rule, line) => {
    const named: number[] = [];
    for (const { user_id } of listOf(rule.approval_project_rules_users)) {
      if (numberOf(user_id) !== null) named.push(await person(user_id));
    }
    const branches = listOf(rule.approval_project_rules_protected_branches);
    await run.once('approval_rule', line, (trx) =>
      importedRequests.addImportedRule(trx, run.project.id, {
        name: textOf(rule.name)?.slice(0, 255) ?? '',
        rule_type: enumOf(rule.rule_type, ['regular', 'any_approver', 'report_approver']),
        report_type: enumOf(rule.report_type, ['code_coverage']) ?? null,
        approvals_required: amountOf(rule.approvals_required),
        everywhere: flagOf(rule.applies_to_all_protected_branches),
        userIds: named,
        branches: branches.flatMap(({ branch_name: name }) => textOf(name) ?? []),
      }),
    );
  });
}

export async function importPushRule(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  const { subject } = await importerOf(run);
  await every('push_rule', async (rule: Fields, line) => {
    const texts = pushRuleRegexes.flatMap((name) => (textOf(rule[name]) ? [[name, textOf(rule[name])]] : []));
    const change = {
      ...Object.fromEntries(texts),
      ...Object.fromEntries(pushRuleFlags.map((name) => [name, flagOf(rule[name])])),
      max_file_size: amountOf(rule.max_file_size),
    };
    await settle(run, 'push_rule', line, () => putPushRule(run.services.db, subject, change));
  });
}

export async function importBadges(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  const { subject } = await importerOf(run);
  const address = /^https?:\/\/\S{1,2000}$/i;
  await every('project_badges', async ({ name, link_url, image_url }, line) =>
    run.once('badge', line, async (trx) => {
      const [link, image] = [textOf(link_url) ?? '', textOf(image_url) ?? ''];
      if (!address.test(link) || !address.test(image)) throw new Error('it has no address');
      const badge = { name: textOf(name)?.slice(0, 255) ?? null, link_url: link, image_url: image };
      return (await insertBadge(trx, subject, badge)).id;
    }),
  );
}
