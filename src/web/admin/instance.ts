import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { SettingsForm } from '../forms/settings-form.ts';
import { badge, count, moment } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { mergeTopicsPath } from './merge-topics.ts';

const topic = (id: string) => `/topics/${encodeURIComponent(id)}`;
const topicFields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true, hint: 'As projects name it' },
  { name: 'title', label: 'Title', required: true },
  { name: 'description', label: 'Description', kind: 'area' },
];

export const topics: Collection = {
  path: '/admin/topics',
  title: 'Topics',
  intro: ({ home }) =>
    html`What projects are about. Projects name their own topics; here they get a title and a description, and those that mean the same are <a href="${home}${mergeTopicsPath}">merged</a>.`,
  empty: 'No topic.',
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
    label: 'Shown as',
    kind: 'select',
    options: [
      ['banner', 'Banner above each page'],
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
  { name: 'target_path', label: 'Pages', placeholder: '/group/*', hint: 'Empty for all; * stands for anything' },
  { name: 'dismissable', label: 'Readers may put it away', kind: 'check' },
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
  intro: 'What whoever opens a page is told, for as long as you say.',
  empty: 'No message.',
  list: '/broadcast_messages',
  item: (one) =>
    html`${badge(one.active ? 'success' : 'inactive', one.active ? 'shown' : 'not shown')} <strong>${one.message.slice(0, 200)}</strong><p class="muted">${one.broadcast_type} · from ${moment(one.starts_at)} · to ${moment(one.ends_at)}${one.target_path && ` · ${one.target_path}`}</p>`,
  add: { title: 'New message', button: 'Add message', fields: broadcastFields },
  edit: { fields: broadcastFields, method: 'PUT', path: broadcast, prepare: withoutEmptyMoments },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: broadcast } },
};

/** The plan limits that Hearth enforces, with their labels. */
const limits: readonly (readonly [name: string, label: string])[] = [
  ['ci_pipeline_size', 'Jobs of a pipeline; 0 for any number'],
  ['ci_active_jobs', 'Jobs of a project that are not done; 0 for any number'],
  ['ci_needs_size_limit', 'Jobs that a job may need'],
  ['pipeline_hierarchy_size', 'Pipelines below one that started them'],
  ['ci_pipeline_schedules', 'Schedules of a project'],
  ['ci_instance_level_variables', 'CI/CD variables of the instance'],
  ['ci_registered_group_runners', 'Runners of a group'],
  ['ci_registered_project_runners', 'Runners of a project'],
  ['dotenv_size', 'Largest dotenv file, in bytes'],
  ['dotenv_variables', 'Variables of a dotenv file'],
  ['generic_packages_max_file_size', 'Largest file of a generic package, in bytes'],
  ['conan_max_file_size', 'Largest file of a Conan package, in bytes'],
  ['helm_max_file_size', 'Largest Helm chart, in bytes'],
  ['maven_max_file_size', 'Largest file of a Maven package, in bytes'],
  ['npm_max_file_size', 'Largest file of an npm package, in bytes'],
  ['nuget_max_file_size', 'Largest file of a NuGet package, in bytes'],
  ['pypi_max_file_size', 'Largest file of a PyPI package, in bytes'],
  ['terraform_module_max_file_size', 'Largest Terraform module, in bytes'],
];

export const planLimits: SettingsForm = {
  path: '/admin/plan_limits',
  title: 'Limits',
  intro: 'How much there may be of what costs room or time.',
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
    { name: 'description', label: 'For those who sign in', kind: 'area', hint: 'Markdown' },
    { name: 'new_project_guidelines', label: 'Above a new project', kind: 'area', hint: 'Markdown' },
    { name: 'member_guidelines', label: 'Above the members of groups and projects', kind: 'area' },
    { name: 'profile_image_guidelines', label: 'Beside the picture of a profile', kind: 'area' },
    { name: 'header_message', label: 'Line above every page' },
    { name: 'footer_message', label: 'Line below every page' },
    { name: 'message_background_color', label: 'Their colour', placeholder: '#E75E40' },
    { name: 'message_font_color', label: 'The colour of their letters', placeholder: '#FFFFFF' },
    { name: 'email_header_and_footer_enabled', label: 'Both in letters too', kind: 'check' },
    { name: 'pwa_name', label: 'Name as an app' },
    { name: 'pwa_short_name', label: 'Short name as an app' },
    { name: 'pwa_description', label: 'Description as an app' },
  ],
};
