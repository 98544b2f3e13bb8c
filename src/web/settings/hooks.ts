import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

type Events = readonly (readonly [name: string, text: string])[];

const ofProjects: Events = [
  ['push_events', 'Pushes'],
  ['tag_push_events', 'Tags'],
  ['issues_events', 'Issues'],
  ['confidential_issues_events', 'Confidential issues'],
  ['note_events', 'Comments'],
  ['confidential_note_events', 'Confidential comments'],
  ['merge_requests_events', 'Merge requests'],
  ['pipeline_events', 'Pipelines'],
  ['job_events', 'Jobs'],
  ['deployment_events', 'Deployments'],
  ['releases_events', 'Releases'],
  ['milestone_events', 'Milestones'],
  ['wiki_page_events', 'Wiki pages'],
  ['feature_flag_events', 'Feature flags'],
  ['emoji_events', 'Reactions'],
  ['resource_access_token_events', 'Expiring access tokens'],
];

const ofGroups: Events = [
  ...ofProjects,
  ['member_events', 'Members'],
  ['subgroup_events', 'Subgroups'],
  ['project_events', 'Projects'],
];

const fieldsFor = (events: Events): readonly Field[] => [
  { name: 'url', label: 'Address', kind: 'url', required: true },
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description' },
  {
    name: 'token',
    label: 'Secret',
    kind: 'password',
    hint: 'Sent with each request; empty: unchanged, unless the URL changes',
  },
  {
    name: 'signing_token',
    label: 'Signing token',
    kind: 'password',
    hint: 'Signs each request: whsec_ and 32 bytes in Base64; empty: unchanged, unless the URL changes',
  },
  ...events.map(([name, label]): Field => ({ name, label, kind: 'check' })),
  {
    name: 'push_events_branch_filter',
    label: 'Branch filter for pushes',
    hint: 'Name or wildcard, such as release/*; empty: all',
  },
  { name: 'enable_ssl_verification', label: 'Verify the TLS certificate', kind: 'check' },
];

const one = (id: string) => `/hooks/${encodeURIComponent(id)}`;

/** Empty secret fields keep the stored secrets. */
const keepSecret = ({ token, signing_token, ...sent }: Readonly<Record<string, unknown>>) => ({
  ...sent,
  ...(token ? { token } : {}),
  ...(signing_token ? { signing_token } : {}),
});

const eventsOf = (hook: Entity) =>
  ofGroups
    .filter(([name]) => hook[name] === true)
    .map(([, text]) => text.toLowerCase())
    .join(', ');

/** A webhook in a list. */
export const drawHook = (hook: Entity) =>
  html`<strong>${hook.name || hook.url}</strong> ${hook.alert_status && hook.alert_status !== 'executable' && badge('failed', hook.alert_status.replaceAll('_', ' '))}<p class="muted">${hook.url} · ${eventsOf(hook)}</p>`;

const hooks = (fields: readonly Field[]): Collection => ({
  path: '/-/hooks',
  title: 'Webhooks',
  intro: 'A webhook sends events to a URL.',
  empty: 'No webhooks.',
  list: '/hooks',
  least: 40,
  item: (hook, { home }) =>
    html`${drawHook(hook)}<p><a href="${home}/-/hooks/${hook.id}/deliveries">Deliveries</a></p>`,
  add: {
    title: 'New webhook',
    button: 'Add webhook',
    fields,
    start: { push_events: true, enable_ssl_verification: true },
  },
  edit: { fields, method: 'PUT', path: one, prepare: keepSecret },
  buttons: {
    test: {
      text: 'Test with a push',
      method: 'POST',
      path: (id) => `${one(id)}/test/push_events`,
      done: 'The push event was delivered.',
    },
    remove: { text: 'Delete', method: 'DELETE', path: one },
  },
});

export const projectHooks = hooks(fieldsFor(ofProjects));
export const groupHooks = hooks(fieldsFor(ofGroups));
