import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { tokenScopes } from '../settings/tokens.ts';

const line = (one: Entity) =>
  html`<strong>${one.application_name}</strong> <span class="muted">${one.scopes.join(', ')}${!one.confidential && ' · keeps no secret'}</span><p class="muted">Application ID <code>${one.application_id}</code></p><p class="muted">Redirects to ${one.callback_url}</p>`;

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'redirect_uri', label: 'Redirect URI', kind: 'area', required: true, hint: 'One URL per line' },
  { name: 'confidential', label: 'Confidential: it runs on a server and can keep a secret', kind: 'check' },
  {
    name: 'scopes',
    label: 'Scopes',
    kind: 'checks',
    options: [
      ...tokenScopes,
      ['read_user', 'read_user: read the profile'],
      ['openid', 'openid: identify the user'],
      ['profile', 'profile: name and avatar'],
      ['email', 'email: e-mail address'],
    ],
  },
];

const secret = (created: Entity) =>
  html`<div class="told" role="status"><p>Copy the secret now: it is shown only once.</p><label>Application ID<input readonly value="${created.application_id}" data-copy="1"></label><label>Secret<input readonly value="${created.secret}" data-copy="1"></label></div>`;

function applicationsAt(path: string, api: string, more: readonly Field[]): Collection {
  return {
    path,
    title: 'Applications',
    intro: 'Applications that act on behalf of users or sign them in: OAuth 2.0 and OpenID Connect.',
    empty: 'No application.',
    list: api,
    item: line,
    add: {
      title: 'New application',
      button: 'Save application',
      fields: [...fields, ...more],
      start: { confidential: true },
      prepare: ({ scopes, ...sent }) => ({ ...sent, scopes: [scopes ?? []].flat().join(' ') }),
    },
    buttons: { remove: { text: 'Remove', method: 'DELETE', path: (id) => `${api}/${encodeURIComponent(id)}` } },
    secret,
  };
}

export const ownApplications = applicationsAt('/-/user_settings/applications', '/user/applications', []);
export const instanceApplications = applicationsAt('/admin/applications', '/applications', [
  { name: 'trusted', label: 'Trusted: users are not asked for authorization', kind: 'check' },
]);

export const authorizedApplications: Collection = {
  path: '/-/user_settings/authorized_applications',
  title: 'Authorized applications',
  intro: 'Applications that may act on your behalf.',
  empty: 'No authorized applications.',
  list: '/user/authorized_applications',
  item: line,
  buttons: {
    revoke: {
      text: 'Revoke',
      method: 'DELETE',
      path: (id) => `/user/authorized_applications/${encodeURIComponent(id)}`,
    },
  },
};
