import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, relativeTime, size } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { drawHook } from '../settings/hooks.ts';
import { runners } from '../settings/runners.ts';
import { variables } from '../settings/variables.ts';

const byName: readonly Field[] = [{ name: 'search', label: 'Part of the name' }];

export const groups: Collection = {
  path: '/admin/groups',
  title: 'Groups',
  empty: 'No group.',
  list: '/groups',
  filters: byName,
  query: { all_available: true, statistics: true },
  item: (one, { home }) =>
    html`<a href="${home}/${one.full_path}"><strong>${one.full_name}</strong></a> ${badge(one.visibility)} ${one.marked_for_deletion_on && badge('failed', 'pending deletion')}<p class="muted">created ${relativeTime(one.created_at)}${one.statistics && ` · ${size(one.statistics.storage_size)}`} · <a href="${home}/groups/${one.full_path}/-/group_members">Members</a> · <a href="${home}/groups/${one.full_path}/-/edit">Settings</a></p>`,
};

export const projects: Collection = {
  path: '/admin/projects',
  title: 'Projects',
  empty: 'No project.',
  list: '/projects',
  filters: [
    ...byName,
    {
      name: 'show',
      label: 'Which',
      kind: 'select',
      options: [
        ['', 'All'],
        ['archived', 'Archived'],
        ['private', 'Private'],
        ['internal', 'Internal'],
        ['public', 'Public'],
      ],
    },
  ],
  query: ({ visit }) => {
    const show = visit.query.get('show') ?? '';
    const visibility = ['private', 'internal', 'public'].includes(show) ? show : undefined;
    return { show: undefined, statistics: true, visibility, archived: show === 'archived' ? true : undefined };
  },
  item: (one, { home }) =>
    html`<a href="${home}/${one.path_with_namespace}"><strong>${one.name_with_namespace}</strong></a> ${badge(one.visibility)} ${one.archived && badge('archived')} ${one.marked_for_deletion_on && badge('failed', 'pending deletion')}<p class="muted">created ${relativeTime(one.created_at)} · active ${relativeTime(one.last_activity_at)}${one.statistics && ` · ${size(one.statistics.storage_size)}`} · <a href="${home}/${one.path_with_namespace}/-/project_members">Members</a> · <a href="${home}/${one.path_with_namespace}/edit">Settings</a></p>`,
};

export const instanceRunners: Collection = {
  ...runners('instance_type', '/admin/runners', '/runners/all', () => ({})),
  filters: [
    {
      name: 'type',
      label: 'Whose',
      kind: 'select',
      options: [
        ['', 'All'],
        ['instance_type', 'Instance'],
        ['group_type', 'Groups'],
        ['project_type', 'Projects'],
      ],
    },
    {
      name: 'status',
      label: 'State',
      kind: 'select',
      options: [
        ['', 'Any'],
        ['online', 'Online'],
        ['offline', 'Offline'],
        ['stale', 'Stale'],
        ['never_contacted', 'Never contacted'],
      ],
    },
    { name: 'tag_list', label: 'Tags' },
  ],
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
  { name: 'repository_update_events', label: 'Repository updates', kind: 'check' },
  { name: 'enable_ssl_verification', label: 'Verify the TLS certificate', kind: 'check' },
];

export const systemHooks: Collection = {
  path: '/admin/hooks',
  title: 'System hooks',
  intro: 'A system hook sends events of the whole instance to a URL.',
  empty: 'No system hooks.',
  list: '/hooks',
  item: drawHook,
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
  title: 'Background jobs',
  intro: 'Jobs that failed permanently after several attempts. Pending and running jobs are in the metrics.',
  empty: 'No failed jobs.',
  list: '/admin/dead_jobs',
  item: (job) =>
    html`<strong>${job.kind}</strong> <span class="muted">#${job.id}, tried ${job.attempts} times${job.failed_at && html`, failed ${relativeTime(job.failed_at)}`}</span><pre>${job.error}</pre>`,
  buttons: {
    retry: { text: 'Try again', method: 'POST', path: (id) => `/admin/dead_jobs/${encodeURIComponent(id)}/retry` },
    remove: { text: 'Forget', method: 'DELETE', path: (id) => `/admin/dead_jobs/${encodeURIComponent(id)}` },
  },
};

/** A value of an audit event, truncated. */
const glimpse = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
};

/** Describes an audit event: by its own message, or else by the changed attribute. */
export function describeEvent(details: Entity): string {
  if (details.custom_message) return details.custom_message;
  if (details.change) return `Changed ${details.change} from ${glimpse(details.from)} to ${glimpse(details.to)}`;
  if (details.add) return `Added ${details.add}`;
  if (details.remove) return `Removed ${details.remove}`;
  const name: string = (details.event_name ?? 'change').replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export const auditEvents: Collection = {
  path: '/admin/audit_events',
  title: 'Audit events',
  empty: 'No audit events.',
  list: '/audit_events',
  filters: [
    { name: 'created_after', label: 'From', kind: 'date' },
    { name: 'created_before', label: 'To', kind: 'date' },
  ],
  item: ({ entity_type, entity_id, created_at, details }) =>
    html`<strong>${describeEvent(details)}</strong><p class="muted">${details.author_name} · ${entity_type} ${details.entity_path ?? entity_id}${details.target_details && details.target_details !== details.entity_path && ` · ${details.target_details}`}${details.ip_address && ` · ${details.ip_address}`} · ${relativeTime(created_at)}</p>`,
};
