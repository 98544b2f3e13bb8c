import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { SettingsForm } from '../forms/settings-form.ts';
import { badge, count, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { mergeTopicsPath } from './merge-topics.ts';

const topic = (id: string) => `/topics/${encodeURIComponent(id)}`;
const topicFields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true, hint: 'Name as used in projects' },
  { name: 'title', label: 'Title', required: true },
  { name: 'description', label: 'Description', kind: 'area' },
];

export const topics: Collection = {
  path: '/admin/topics',
  title: 'Topics',
  intro: ({ home }) =>
    html`What projects are about. Projects name their own topics; here they get a title and a description, and those that mean the same are <a href="${home}${mergeTopicsPath}">merged</a>.`,
  empty: 'No topics.',
  list: '/topics',
  filters: [{ name: 'search', label: 'Part of the name' }],
  item: (one, { home }) =>
    html`<a href="${home}/explore/projects/topics/${encodeURIComponent(one.name)}"><strong>${one.title || one.name}</strong></a> <span class="muted">${one.name} · ${count(one.total_projects_count, 'project')}</span>`,
  add: { title: 'New topic', button: 'Create topic', fields: topicFields },
  edit: { fields: topicFields, method: 'PUT', path: topic },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: topic } },
};

const broadcast = (id: string) => `/broadcast_messages/${encodeURIComponent(id)}`;
const broadcastFields: readonly Field[] = [
  { name: 'message', label: 'Message', kind: 'area', required: true, hint: 'Markdown' },
  {
    name: 'broadcast_type',
    label: 'Type',
    kind: 'select',
    options: [
      ['banner', 'Banner above every page'],
      ['notification', 'Notification in a corner'],
    ],
  },
  {
    name: 'theme',
    label: 'Colour',
    kind: 'select',
    options: [
      ['indigo', 'Indigo'],
      ['light-indigo', 'Light indigo'],
      ['blue', 'Blue'],
      ['light-blue', 'Light blue'],
      ['green', 'Green'],
      ['light-green', 'Light green'],
      ['red', 'Red'],
      ['light-red', 'Light red'],
      ['dark', 'Dark'],
      ['light', 'Light'],
    ],
  },
  { name: 'starts_at', label: 'From', placeholder: '2030-01-31T08:00:00Z', hint: 'Empty for now' },
  { name: 'ends_at', label: 'To', placeholder: '2030-01-31T20:00:00Z', hint: 'Empty for an hour later' },
  { name: 'target_path', label: 'Pages', placeholder: '/group/*', hint: 'Empty: all pages; * matches anything' },
  { name: 'dismissable', label: 'Users can dismiss it', kind: 'check' },
];

/** Leaves out empty dates, so that they are not changed. */
const withoutEmptyMoments = ({ starts_at, ends_at, ...sent }: Readonly<Record<string, unknown>>) => ({
  ...sent,
  ...(starts_at ? { starts_at } : {}),
  ...(ends_at ? { ends_at } : {}),
});

export const broadcasts: Collection = {
  path: '/admin/broadcast_messages',
  title: 'Broadcast messages',
  intro: 'Messages shown on all pages for a limited time.',
  empty: 'No messages.',
  list: '/broadcast_messages',
  item: (one) =>
    html`${badge(one.active ? 'success' : 'inactive', one.active ? 'shown' : 'not shown')} <strong>${one.message.slice(0, 200)}</strong><p class="muted">${one.broadcast_type} · from ${relativeTime(one.starts_at)} · to ${relativeTime(one.ends_at)}${one.target_path && ` · ${one.target_path}`}</p>`,
  add: { title: 'New message', button: 'Add message', fields: broadcastFields },
  edit: { fields: broadcastFields, method: 'PUT', path: broadcast, prepare: withoutEmptyMoments },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: broadcast } },
};

/** The plan limits that Hearth enforces, with their labels. */
const limits: readonly (readonly [name: string, label: string])[] = [
  ['ci_pipeline_size', 'Jobs per pipeline; 0: unlimited'],
  ['ci_active_jobs', 'Active jobs per project; 0: unlimited'],
  ['ci_needs_size_limit', 'Needs per job'],
  ['pipeline_hierarchy_size', 'Depth of child pipelines'],
  ['ci_pipeline_schedules', 'Schedules per project'],
  ['ci_instance_level_variables', 'Instance CI/CD variables'],
  ['ci_registered_group_runners', 'Runners per group'],
  ['ci_registered_project_runners', 'Runners per project'],
  ['dotenv_size', 'Maximum dotenv file size in bytes'],
  ['dotenv_variables', 'Variables per dotenv file'],
  ['generic_packages_max_file_size', 'Maximum generic package file size in bytes'],
  ['conan_max_file_size', 'Maximum Conan package file size in bytes'],
  ['helm_max_file_size', 'Maximum Helm chart size in bytes'],
  ['maven_max_file_size', 'Maximum Maven package file size in bytes'],
  ['npm_max_file_size', 'Maximum npm package file size in bytes'],
  ['nuget_max_file_size', 'Maximum NuGet package file size in bytes'],
  ['pypi_max_file_size', 'Maximum PyPI package file size in bytes'],
  ['terraform_module_max_file_size', 'Maximum Terraform module size in bytes'],
];

export const planLimits: SettingsForm = {
  path: '/admin/plan_limits',
  title: 'Limits',
  intro: 'Plan limits of the instance.',
  api: '/application/plan_limits',
  method: 'PUT',
  fields: limits.map(([name, label]): Field => ({ name, label, kind: 'number', required: true })),
  prepare: (sent) => ({ ...sent, plan_name: 'default' }),
};

export const appearance: SettingsForm = {
  path: '/admin/appearance',
  title: 'Appearance',
  intro: html`What pages say of this server. Its logo and icons are <a href="appearance/pictures">pictures</a>.`,
  api: '/application/appearance',
  method: 'PUT',
  fields: [
    { name: 'title', label: 'Name of the server' },
    { name: 'description', label: 'On the sign-in page', kind: 'area', hint: 'Markdown' },
    { name: 'new_project_guidelines', label: 'Above a new project', kind: 'area', hint: 'Markdown' },
    { name: 'member_guidelines', label: 'Above the members of groups and projects', kind: 'area' },
    { name: 'profile_image_guidelines', label: 'Profile image guidelines', kind: 'area' },
    { name: 'header_message', label: 'Header message' },
    { name: 'footer_message', label: 'Footer message' },
    { name: 'message_background_color', label: 'Background colour', placeholder: '#E75E40' },
    { name: 'message_font_color', label: 'Text colour', placeholder: '#FFFFFF' },
    { name: 'email_header_and_footer_enabled', label: 'Also in e-mails', kind: 'check' },
    { name: 'pwa_name', label: 'Name as an app' },
    { name: 'pwa_short_name', label: 'Short name as an app' },
    { name: 'pwa_description', label: 'Description as an app' },
  ],
};
