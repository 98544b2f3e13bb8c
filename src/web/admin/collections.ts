import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge, moment } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { hooks } from '../settings/hooks.ts';
import { runners } from '../settings/runners.ts';
import { variables } from '../settings/variables.ts';

const user = (id: string) => `/users/${encodeURIComponent(id)}`;

const person: readonly Field[] = [
  { name: 'name', label: 'Full name', required: true },
  { name: 'username', label: 'Username', required: true },
  { name: 'email', label: 'Email', kind: 'email', required: true },
];

export const users: Collection = {
  path: '/admin/users',
  title: 'Users',
  empty: 'Nobody.',
  list: '/users',
  item: (one, { home }) =>
    html`<a href="${home}/${one.username}"><strong>${one.name}</strong></a> <span class="muted">@${one.username}</span> ${one.is_admin && badge('administrator')} ${one.state !== 'active' && badge(one.state.replaceAll('_', ' '))}<p class="muted">${one.email} · came ${moment(one.created_at)} · ${one.last_activity_on ? html`last seen on ${one.last_activity_on}` : 'never seen'}</p>`,
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
  edit: { fields: person, method: 'PUT', path: user },
  buttons: {
    block: {
      text: 'Block',
      method: 'POST',
      path: (id) => `${user(id)}/block`,
      when: ({ state, bot }) => state === 'active' && !bot,
    },
    unblock: {
      text: 'Unblock',
      method: 'POST',
      path: (id) => `${user(id)}/unblock`,
      when: ({ state }) => state === 'blocked',
    },
    approve: {
      text: 'Approve',
      method: 'POST',
      path: (id) => `${user(id)}/approve`,
      when: ({ state }) => state === 'blocked_pending_approval',
    },
  },
};

export const groups: Collection = {
  path: '/admin/groups',
  title: 'Groups',
  empty: 'No group.',
  list: '/groups',
  query: { all_available: true },
  item: (one, { home }) =>
    html`<a href="${home}/${one.full_path}"><strong>${one.full_name}</strong></a> ${badge(one.visibility)}<p class="muted">made ${moment(one.created_at)}</p>`,
};

export const projects: Collection = {
  path: '/admin/projects',
  title: 'Projects',
  empty: 'No project.',
  list: '/projects',
  item: (one, { home }) =>
    html`<a href="${home}/${one.path_with_namespace}"><strong>${one.name_with_namespace}</strong></a> ${badge(one.visibility)} ${one.archived && badge('archived')}<p class="muted">made ${moment(one.created_at)} · active ${moment(one.last_activity_at)}</p>`,
};

export const instanceRunners: Collection = {
  ...runners('instance_type', '/admin/runners', '/runners/all', () => ({})),
  buttons: {
    remove: { text: 'Delete', method: 'DELETE', path: (id) => `/runners/${encodeURIComponent(id)}` },
  },
};

export const instanceVariables: Collection = {
  ...variables,
  path: '/admin/variables',
  list: '/admin/ci/variables',
  idOf: ({ key }) => key,
  ...(variables.edit && {
    edit: { ...variables.edit, path: (key) => `/admin/ci/variables/${encodeURIComponent(key)}` },
  }),
  ...(variables.add && {
    add: {
      ...variables.add,
      fields: [{ name: 'key', label: 'Name', required: true }, ...(variables.edit?.fields ?? [])],
      start: { variable_type: 'env_var' },
    },
  }),
  buttons: {
    remove: { text: 'Delete', method: 'DELETE', path: (key) => `/admin/ci/variables/${encodeURIComponent(key)}` },
  },
};

const systemEvents: readonly Field[] = [
  { name: 'url', label: 'Address', kind: 'url', required: true },
  { name: 'token', label: 'Secret', kind: 'password', hint: 'Sent with each request' },
  { name: 'push_events', label: 'Pushes', kind: 'check' },
  { name: 'tag_push_events', label: 'Tags', kind: 'check' },
  { name: 'merge_requests_events', label: 'Merge requests', kind: 'check' },
  { name: 'repository_update_events', label: 'Any change of a repository', kind: 'check' },
  { name: 'enable_ssl_verification', label: 'Check the certificate of the other side', kind: 'check' },
];

export const systemHooks: Collection = {
  path: '/admin/hooks',
  title: 'System hooks',
  intro: 'A system hook tells another program what happens anywhere on this server.',
  empty: 'No system hook.',
  list: '/hooks',
  item: hooks.item,
  add: {
    title: 'New system hook',
    button: 'Add hook',
    fields: systemEvents,
    start: { repository_update_events: true, enable_ssl_verification: true },
  },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: (id) => `/hooks/${encodeURIComponent(id)}` } },
};

export const deadJobs: Collection = {
  path: '/admin/background_jobs',
  title: 'Background work',
  intro: 'Work that was tried several times and given up. What waits or runs is in the metrics.',
  empty: 'Nothing was given up.',
  list: '/admin/dead_jobs',
  item: (job) =>
    html`<strong>${job.kind}</strong> <span class="muted">#${job.id}, tried ${job.attempts} times${job.failed_at && html`, given up ${moment(job.failed_at)}`}</span><pre>${job.error}</pre>`,
  buttons: {
    retry: { text: 'Try again', method: 'POST', path: (id) => `/admin/dead_jobs/${encodeURIComponent(id)}/retry` },
    remove: { text: 'Forget', method: 'DELETE', path: (id) => `/admin/dead_jobs/${encodeURIComponent(id)}` },
  },
};

export const auditEvents: Collection = {
  path: '/admin/audit_events',
  title: 'Audit events',
  empty: 'Nothing is on record.',
  list: '/audit_events',
  item: ({ entity_type, entity_id, created_at, details }) =>
    html`<strong>${details.custom_message ?? details.event_name ?? 'change'}</strong><p class="muted">${details.author_name} · ${entity_type} ${details.entity_path ?? entity_id} · ${details.ip_address} · ${moment(created_at)}</p>`,
};
