import { ledgerPages, type Room } from '../forms/ledger.ts';
import { type Sheet, sheetPages } from '../forms/sheet.ts';
import { html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import {
  auditEvents,
  deadJobs,
  groups,
  instanceRunners,
  instanceVariables,
  projects,
  systemHooks,
  users,
} from './ledgers.ts';
import { adminRoom } from './room.ts';

const counted: readonly (readonly [name: string, text: string, path?: string])[] = [
  ['users', 'Users', '/admin/users'],
  ['active_users', 'Active users'],
  ['groups', 'Groups', '/admin/groups'],
  ['projects', 'Projects', '/admin/projects'],
  ['issues', 'Issues'],
  ['merge_requests', 'Merge requests'],
  ['notes', 'Comments'],
  ['milestones', 'Milestones'],
  ['snippets', 'Snippets'],
  ['forks', 'Forks'],
  ['ssh_keys', 'SSH keys'],
];

async function overview({ visit, home, show }: Room): Promise<Outcome> {
  const [numbers, version] = await Promise.all([visit.api.get('/application/statistics'), visit.api.get('/version')]);
  const row = ([name, text, path]: (typeof counted)[number]) =>
    html`<tr><th scope="row">${path ? html`<a href="${home}${path}">${text}</a>` : text}</th><td>${numbers[name]}</td></tr>`;
  const body = html`<h1>Administration</h1><p class="muted">The API speaks version ${version.version}.</p><table><tbody>${counted.map(row)}</tbody></table>`;
  return show({ title: 'Administration', body });
}

const visibilities = [
  ['private', 'Private'],
  ['internal', 'Internal'],
  ['public', 'Public'],
] as const;

const settings: Sheet = {
  path: '/admin/application_settings',
  title: 'Settings',
  intro: 'Those that are changed most often. All others are set with the API.',
  api: '/application/settings',
  method: 'PUT',
  fields: [
    { name: 'signup_enabled', label: 'Anybody may sign up', kind: 'check' },
    { name: 'require_admin_approval_after_user_signup', label: 'New accounts wait for approval', kind: 'check' },
    { name: 'default_project_visibility', label: 'New projects are', kind: 'select', options: visibilities },
    { name: 'default_group_visibility', label: 'New groups are', kind: 'select', options: visibilities },
    { name: 'default_branch_name', label: 'The first branch is called' },
    { name: 'can_create_group', label: 'People may make groups of their own', kind: 'check' },
    { name: 'max_attachment_size', label: 'Largest upload, in MB', kind: 'number' },
  ],
};

const ledgers = [users, groups, projects, instanceRunners, instanceVariables, systemHooks, deadJobs, auditEvents];

export const adminPages: readonly Page[] = [
  adminRoom({ path: '/admin', signedIn: true, show: overview }),
  ...ledgers.flatMap((ledger) => ledgerPages(adminRoom, '', ledger)),
  ...sheetPages(adminRoom, settings),
];
