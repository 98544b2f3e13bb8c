import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity, WriteMethod } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { html, type Part } from '../frame/html.ts';

/** API path of a user. */
export const user = (id: string) => `/users/${encodeURIComponent(id)}`;

const person: readonly Field[] = [
  { name: 'name', label: 'Full name', required: true },
  { name: 'username', label: 'Username', required: true },
  { name: 'email', label: 'Email', kind: 'email', required: true },
];

const more: readonly Field[] = [
  { name: 'password', label: 'New password', kind: 'password', hint: 'Empty: unchanged' },
  { name: 'admin', label: 'Administrator', kind: 'check' },
  { name: 'auditor', label: 'Auditor: reads everything', kind: 'check' },
  { name: 'external', label: 'External: sees only projects and groups they are a member of', kind: 'check' },
  { name: 'can_create_group', label: 'Can create groups', kind: 'check' },
  { name: 'projects_limit', label: 'Personal project limit', kind: 'number' },
  { name: 'note', label: 'Admin note', kind: 'area' },
];

/** User filters, by API parameter. */
const shown: readonly (readonly [name: string, text: string])[] = [
  ['', 'All'],
  ['active', 'Active'],
  ['blocked', 'Blocked'],
  ['exclude_active', 'Not active'],
  ['admins', 'Administrators'],
  ['auditors', 'Auditors'],
  ['external', 'External'],
  ['without_projects', 'Without projects'],
  ['exclude_humans', 'Bots'],
];

/** Badges for the state of a user. */
export const states = (one: Entity): Part[] => [
  one.is_admin && badge('administrator'),
  one.is_auditor && badge('auditor'),
  one.external && badge('external'),
  one.bot && badge('bot'),
  one.locked && badge('failed', 'locked'),
  one.state !== 'active' && badge(one.state),
];

interface Act {
  readonly text: string;
  readonly method?: WriteMethod;
  when(one: Entity): boolean;
}

const inState =
  (...names: string[]) =>
  ({ state, bot }: Entity) =>
    names.includes(state) && !bot;

/** Actions on a user, by the last segment of the API path. */
export const acts: Readonly<Record<string, Act>> = {
  approve: { text: 'Approve', when: inState('blocked_pending_approval') },
  reject: { text: 'Turn away', when: inState('blocked_pending_approval') },
  block: { text: 'Block', when: inState('active', 'deactivated') },
  unblock: { text: 'Unblock', when: inState('blocked') },
  deactivate: { text: 'Deactivate', when: inState('active') },
  activate: { text: 'Activate', when: inState('deactivated') },
  ban: { text: 'Ban', when: inState('active') },
  unban: { text: 'Unban', when: inState('banned') },
  disable_two_factor: {
    text: 'Disable two-factor authentication',
    method: 'PATCH',
    when: ({ two_factor_enabled }) => two_factor_enabled === true,
  },
};

export const users: Collection = {
  path: '/admin/users',
  title: 'Users',
  empty: 'No matching users.',
  list: '/users',
  filters: [
    { name: 'search', label: 'Name or email' },
    { name: 'show', label: 'Which', kind: 'select', options: shown },
  ],
  query: ({ visit }) => {
    const show = visit.query.get('show') ?? '';
    return { show: undefined, ...(show !== '' && shown.some(([name]) => name === show) && { [show]: true }) };
  },
  item: (one, { home }) =>
    html`<a href="${home}/admin/users/${one.id}"><strong>${one.name}</strong></a> <span class="muted">@${one.username}</span> ${states(one)}<p class="muted">${one.email} · came ${relativeTime(one.created_at)} · ${one.last_activity_on ? html`last seen on ${one.last_activity_on}` : 'never seen'}</p>`,
  add: {
    title: 'New user',
    button: 'Create user',
    fields: [
      ...person,
      { name: 'password', label: 'Password', kind: 'password', required: true },
      { name: 'admin', label: 'Administrator', kind: 'check' },
    ],
    prepare: (sent) => ({ ...sent, skip_confirmation: true }),
  },
  edit: {
    fields: [...person, ...more],
    method: 'PUT',
    path: user,
    valuesOf: (one) => ({ ...one, admin: one.is_admin, auditor: one.is_auditor }),
    prepare: ({ password, projects_limit, ...sent }) => ({
      ...sent,
      ...(password ? { password } : {}),
      ...(projects_limit === '' ? {} : { projects_limit }),
    }),
  },
  buttons: Object.fromEntries(
    Object.entries(acts)
      .filter(([name]) => ['block', 'unblock', 'approve', 'reject'].includes(name))
      .map(([name, { text, when }]) => [
        name,
        { text, method: 'POST' as const, path: (id: string) => `${user(id)}/${name}`, when },
      ]),
  ),
};
