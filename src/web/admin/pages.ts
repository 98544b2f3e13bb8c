import { instanceApplications } from '../account/applications.ts';
import { collectionPages, type SectionContext } from '../forms/collection.ts';
import { type SettingsForm, settingsFormPages } from '../forms/settings-form.ts';
import type { ApiAnswer, Entity } from '../frame/api.ts';
import { badge, count, tiles } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { memberRoles } from '../settings/member-roles.ts';
import {
  auditEvents,
  deadJobs,
  groups,
  instanceRunners,
  instanceVariables,
  projects,
  systemHooks,
} from './collections.ts';
import { appearance, broadcasts, planLimits, topics } from './instance.ts';
import { mergeTopicsPages } from './merge-topics.ts';
import { picturePages } from './pictures.ts';
import { adminSection } from './section.ts';
import { userPages } from './user.ts';
import { users } from './users.ts';

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

const checked = [
  ['db_check', 'Database'],
  ['git_check', 'Git'],
  ['disk_check', 'Disk'],
] as const;

const totalOf = ({ headers, body }: ApiAnswer) => Number(headers['x-total'] ?? body.length);

/** Health of the server's dependencies and of its background jobs. */
function healthBox(home: string, health: Entity, dead: number, online: number): Html {
  const check = ([key, text]: (typeof checked)[number]) => {
    const { status = 'unknown', message } = health[key]?.[0] ?? {};
    return html`<li class="row"><span>${text}</span><span class="end">${message} ${badge(status === 'ok' ? 'success' : 'failed', status)}</span></li>`;
  };
  const work = dead === 0 ? badge('success', 'no failed jobs') : badge('failed', `${count(dead, 'failed job')}`);
  const runners = badge(online > 0 ? 'success' : 'pending', `${online} online`);
  return html`<h2>Health</h2><ul class="list">${checked.map(check)}<li class="row"><a class="main" href="${home}/admin/background_jobs">Background jobs</a><span class="end">${work}</span></li><li class="row"><a class="main" href="${home}/admin/runners">Runners</a><span class="end">${runners}</span></li></ul>`;
}

async function overview({ visit, home, show }: SectionContext): Promise<Outcome> {
  const [numbers, version, health, dead, online] = await Promise.all([
    visit.api.get('/application/statistics'),
    visit.api.get('/version'),
    visit.api.readiness(),
    visit.api.page('/admin/dead_jobs', { per_page: 1 }),
    visit.api.page('/runners/all', { status: 'online', per_page: 1 }),
  ]);
  const shown = tiles(
    counted.map(([name, text, path]) => ({
      text,
      number: numbers[name],
      ...(path !== undefined && { href: `${home}${path}` }),
    })),
  );
  const body = html`<h1>Administration</h1>${healthBox(home, health, totalOf(dead), totalOf(online))}<h2>Statistics</h2>${shown}<p class="muted">API version ${version.version}.</p>`;
  return show({ title: 'Administration', body });
}

const visibilities = [
  ['private', 'Private'],
  ['internal', 'Internal'],
  ['public', 'Public'],
] as const;

const settings: SettingsForm = {
  path: '/admin/application_settings',
  title: 'Settings',
  intro: 'The most common settings. All others can be set with the API.',
  api: '/application/settings',
  method: 'PUT',
  fields: [
    { name: 'signup_enabled', label: 'Sign-up enabled', kind: 'check' },
    {
      name: 'require_admin_approval_after_user_signup',
      label: 'Require administrator approval for new sign-ups',
      kind: 'check',
    },
    {
      name: 'email_confirmation_setting',
      label: 'Email confirmation',
      kind: 'select',
      options: [
        ['hard', 'Hard: before the first sign-in'],
        ['soft', 'Soft: within three days'],
        ['off', 'Off'],
      ],
    },
    {
      name: 'domain_allowlist',
      label: 'Allowed email domains for sign-up',
      kind: 'words',
      hint: 'Comma-separated; empty: any. *.example.com matches all subdomains.',
    },
    { name: 'after_sign_up_text', label: 'Text after sign-up', kind: 'markdown' },
    {
      name: 'require_two_factor_authentication',
      label: 'Require two-factor authentication for all users',
      kind: 'check',
    },
    {
      name: 'require_admin_two_factor_authentication',
      label: 'Require two-factor authentication for administrators',
      kind: 'check',
    },
    { name: 'two_factor_grace_period', label: 'Grace period in hours', kind: 'number' },
    { name: 'enforce_terms', label: 'Require users to accept the terms of use', kind: 'check' },
    {
      name: 'terms',
      label: 'Terms of use',
      kind: 'markdown',
      hint: 'Users must accept them again after a change',
    },
    { name: 'default_project_visibility', label: 'Default project visibility', kind: 'select', options: visibilities },
    { name: 'default_group_visibility', label: 'Default group visibility', kind: 'select', options: visibilities },
    { name: 'default_branch_name', label: 'Default branch name' },
    { name: 'can_create_group', label: 'Users can create top-level groups', kind: 'check' },
    { name: 'max_attachment_size', label: 'Maximum attachment size in MB', kind: 'number' },
  ],
};

const collections = [
  users,
  groups,
  projects,
  instanceRunners,
  instanceVariables,
  systemHooks,
  instanceApplications,
  deadJobs,
  auditEvents,
  memberRoles('/admin/member_roles'),
  topics,
  broadcasts,
];

export const adminPages: readonly Page[] = [
  adminSection({ path: '/admin', signedIn: true, show: overview }),
  ...collections.flatMap((collection) => collectionPages(adminSection, '', collection)),
  ...userPages,
  ...picturePages,
  ...mergeTopicsPages,
  ...[settings, planLimits, appearance].flatMap((form) => settingsFormPages(adminSection, form)),
];
