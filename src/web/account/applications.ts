import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { tokenScopes } from '../settings/tokens.ts';

const line = (one: Entity) =>
  html`<strong>${one.application_name}</strong> <span class="muted">${one.scopes.join(', ')}${!one.confidential && ' · keeps no secret'}</span><p class="muted">Application ID <code>${one.application_id}</code></p><p class="muted">Answers go to ${one.callback_url}</p>`;

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'redirect_uri', label: 'Redirect URI', kind: 'area', required: true, hint: 'One address a line' },
  { name: 'confidential', label: 'It can keep a secret: it runs on a server', kind: 'check' },
  {
    name: 'scopes',
    label: 'What it may ask for',
    kind: 'checks',
    options: [
      ...tokenScopes,
      ['read_user', 'read_user: read who somebody is'],
      ['openid', 'openid: know who somebody is'],
      ['profile', 'profile: their name and picture'],
      ['email', 'email: their e-mail address'],
    ],
  },
];

const secret = (made: Entity) =>
  html`<div class="told" role="status"><p>Copy the secret now: it is shown only this once.</p><label>Application ID<input readonly value="${made.application_id}" data-copy="1"></label><label>Secret<input readonly value="${made.secret}" data-copy="1"></label></div>`;

function applicationsAt(path: string, api: string, more: readonly Field[]): Collection {
  return {
    path,
    title: 'Applications',
    intro: 'An application asks people to let it act for them, or who they are: OAuth 2.0 and OpenID Connect.',
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
  { name: 'trusted', label: 'People are not asked', kind: 'check' },
]);

export const authorizedApplications: Collection = {
  path: '/-/user_settings/authorized_applications',
  title: 'Authorized applications',
  intro: 'What you let act for you.',
  empty: 'No application acts for you.',
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
