import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

const events: readonly (readonly [string, string])[] = [
  ['push_events', 'Pushes'],
  ['tag_push_events', 'Tags'],
  ['issues_events', 'Issues'],
  ['note_events', 'Comments'],
  ['merge_requests_events', 'Merge requests'],
  ['pipeline_events', 'Pipelines'],
  ['job_events', 'Jobs'],
  ['releases_events', 'Releases'],
];

const fields: readonly Field[] = [
  { name: 'url', label: 'Address', kind: 'url', required: true },
  { name: 'name', label: 'Name' },
  {
    name: 'token',
    label: 'Secret',
    kind: 'password',
    hint: 'Sent with each request; empty leaves it as it is, unless the address changes',
  },
  ...events.map(([name, label]): Field => ({ name, label, kind: 'check' })),
  { name: 'enable_ssl_verification', label: 'Check the certificate of the other side', kind: 'check' },
];

const one = (id: string) => `/hooks/${encodeURIComponent(id)}`;

/** A secret that was not typed anew is not sent. */
const keepSecret = ({ token, ...sent }: Readonly<Record<string, unknown>>) => (token ? { ...sent, token } : sent);

export const hooks: Collection = {
  path: '/-/hooks',
  title: 'Webhooks',
  intro: 'A webhook tells another program what happens here, as soon as it happens.',
  empty: 'No webhook.',
  list: '/hooks',
  least: 40,
  item: (hook) =>
    html`<strong>${hook.name || hook.url}</strong> ${hook.alert_status && hook.alert_status !== 'executable' && badge('failed', hook.alert_status.replaceAll('_', ' '))}<p class="muted">${hook.url} · ${events
      .filter(([name]) => hook[name] === true)
      .map(([, text]) => text.toLowerCase())
      .join(', ')}</p>`,
  add: {
    title: 'New webhook',
    button: 'Add webhook',
    fields,
    start: { push_events: true, enable_ssl_verification: true },
  },
  edit: { fields, method: 'PUT', path: one, prepare: keepSecret },
  buttons: {
    test: { text: 'Test with a push', method: 'POST', path: (id) => `${one(id)}/test/push_events` },
    remove: { text: 'Delete', method: 'DELETE', path: one },
  },
};
