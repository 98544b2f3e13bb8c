import type { Collection } from '../forms/collection.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

/** External status checks of merge requests. */
export const statusChecks: Collection = {
  path: '/-/settings/status_checks',
  title: 'Status checks',
  intro: 'External services that receive merge request events and report whether they pass.',
  empty: 'No status checks.',
  list: '/external_status_checks',
  least: 40,
  item: (check) =>
    html`<strong>${check.name}</strong> ${check.hmac && badge('success', 'signed')}<p class="muted">${check.external_url} · ${check.protected_branches.map(({ name }: { name: string }) => name).join(', ') || 'all branches'}</p>`,
  add: {
    title: 'New status check',
    button: 'Add status check',
    fields: [
      { name: 'name', label: 'Name', required: true },
      { name: 'external_url', label: 'Address', kind: 'url', required: true },
      { name: 'shared_secret', label: 'Secret', kind: 'password', hint: 'Signs each request; never sent' },
    ],
  },
  buttons: {
    remove: { text: 'Delete', method: 'DELETE', path: (id) => `/external_status_checks/${encodeURIComponent(id)}` },
  },
};
