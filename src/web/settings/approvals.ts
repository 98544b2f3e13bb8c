import type { Collection, SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { SettingsForm } from '../forms/settings-form.ts';
import { type Entity, type JsonBody, Refusal } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { userIds } from '../planning/item-fields.ts';

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'approvals_required', label: 'Required approvals', kind: 'number', required: true },
  {
    name: 'people',
    label: 'Approvers',
    kind: 'words',
    hint: 'Comma-separated usernames; no users and groups: all eligible users',
  },
  { name: 'paths', label: 'Approver groups', kind: 'words', hint: 'Comma-separated paths' },
  { name: 'applies_to_all_protected_branches', label: 'Protected branches only', kind: 'check' },
];

/** Only for new rules: the type of a rule does not change. */
const coverage: Field = { name: 'coverage', label: 'Only if the test coverage falls', kind: 'check' };

const most = 20;

async function groupIds({ visit }: SectionContext, paths: readonly string[]): Promise<number[]> {
  if (paths.length > most) throw new Refusal(422, `More than ${most} groups`);
  const found = await Promise.all(
    paths.map((path) => visit.api.maybe(`/groups/${encodeURIComponent(path)}`, { with_projects: false })),
  );
  return found.map((group: Entity | undefined, at) => {
    if (!group) throw new Refusal(422, `There is no group ${paths[at]}`);
    return group.id;
  });
}

const listIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Converts user names and group paths to the IDs that the API expects. */
async function prepare(
  { people, paths, coverage: onCoverage, ...sent }: JsonBody,
  context: SectionContext,
): Promise<JsonBody> {
  const [user_ids, group_ids] = await Promise.all([
    userIds(context.visit, listIn(people)),
    groupIds(context, listIn(paths)),
  ]);
  return { ...sent, user_ids, group_ids, ...(onCoverage === true && { report_type: 'code_coverage' }) };
}

const one = (id: string) => `/approval_rules/${encodeURIComponent(id)}`;

function approversOf({ users, groups, contains_hidden_groups: hidden }: Entity): string {
  const named = [
    ...users.map(({ username }: Entity) => `@${username}`),
    ...groups.map(({ full_path }: Entity) => full_path),
    ...(hidden ? ['inaccessible groups'] : []),
  ];
  return named.join(', ') || 'all eligible users';
}

export const approvalRules: Collection = {
  path: '/-/settings/approval_rules',
  title: 'Approval rules',
  intro: ({ home }) =>
    html`A merge request is merged only once each rule has its approvals. <a href="${home}/-/settings/approvals">Approval settings</a>`,
  empty: 'No rules: approvals are optional.',
  list: '/approval_rules',
  least: 40,
  item: (rule) =>
    html`<strong>${rule.name}</strong> ${badge(rule.approvals_required > 0 ? 'pending' : 'skipped', rule.approvals_required > 0 ? count(rule.approvals_required, 'approval') : 'optional')}<p class="muted">${approversOf(rule)}${rule.applies_to_all_protected_branches ? ' · protected branches' : rule.protected_branches.length > 0 && ` · ${rule.protected_branches.map(({ name }: Entity) => name).join(', ')}`}${rule.report_type === 'code_coverage' && ' · only if the test coverage falls'}</p>`,
  add: {
    title: 'New rule',
    button: 'Add rule',
    fields: [...fields, coverage],
    start: { approvals_required: 1 },
    prepare,
  },
  edit: {
    fields,
    method: 'PUT',
    path: one,
    valuesOf: (rule) => ({
      ...rule,
      people: rule.users.map(({ username }: Entity) => username),
      paths: rule.groups.map(({ full_path }: Entity) => full_path),
    }),
    prepare,
  },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: one } },
};

export const approvalSettings: SettingsForm = {
  path: '/-/settings/approvals',
  title: 'Approval settings',
  api: '/approvals',
  method: 'POST',
  fields: [
    { name: 'merge_requests_author_approval', label: 'Authors can approve their own merge requests', kind: 'check' },
    {
      name: 'merge_requests_disable_committers_approval',
      label: 'Users who added commits cannot approve',
      kind: 'check',
    },
    { name: 'reset_approvals_on_push', label: 'New commits remove all approvals', kind: 'check' },
    {
      name: 'selective_code_owner_removals',
      label: 'New commits remove approvals of affected code owners',
      kind: 'check',
    },
    {
      name: 'disable_overriding_approvers_per_merge_request',
      label: 'Rules cannot be edited in merge requests',
      kind: 'check',
    },
    { name: 'require_password_to_approve', label: 'Approving requires the password', kind: 'check' },
  ],
};
