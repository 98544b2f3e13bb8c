import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** Shows a secret right after creation; the server stores only its hash. */
export const secretNotice = (secret: string, more: Html | false = false): Html =>
  html`<div class="told" role="status"><p>Copy it now: it is shown only once.</p><label>Token<input readonly value="${secret}" data-copy="1"></label>${more}</div>`;

export const tokenScopes: readonly (readonly [string, string])[] = [
  ['api', 'api: read and write everything'],
  ['read_api', 'read_api: read everything'],
  ['read_repository', 'read_repository: clone and fetch'],
  ['write_repository', 'write_repository: push'],
  ['read_registry', 'read_registry: pull images'],
  ['write_registry', 'write_registry: push images'],
  ['create_runner', 'create_runner: create runners'],
  ['manage_runner', 'manage_runner: update runners'],
  ['self_rotate', 'self_rotate: rotate the token itself'],
];

const base: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  { name: 'expires_at', label: 'Until', kind: 'date', required: true },
];

export const tokenLine = (token: Entity) =>
  html`<strong>${token.name}</strong> <span class="muted">${token.scopes?.join(', ')}</span><p class="muted">${token.access_level !== undefined && `${roleName(token.access_level)} · `}created ${relativeTime(token.created_at)} · ${token.last_used_at ? html`used ${relativeTime(token.last_used_at)}` : 'never used'} · expires ${token.expires_at ?? 'never'}</p>`;

export const accessTokens: Collection = {
  path: '/-/settings/access_tokens',
  title: 'Access tokens',
  intro: 'Tokens authenticate as a bot member, for automation.',
  empty: 'No tokens.',
  list: '/access_tokens',
  query: { state: 'active' },
  least: 40,
  item: tokenLine,
  add: {
    title: 'New token',
    button: 'Create token',
    fields: [
      ...base,
      { name: 'access_level', label: 'Role', kind: 'rank', options: roles },
      { name: 'scopes', label: 'Scopes', kind: 'checks', options: tokenScopes },
    ],
    start: { access_level: '40' },
  },
  buttons: {
    revoke: { text: 'Revoke', method: 'DELETE', path: (id) => `/access_tokens/${encodeURIComponent(id)}` },
  },
  secret: (created) => secretNotice(created.token),
};

export const deployTokens: Collection = {
  path: '/-/settings/deploy_tokens',
  title: 'Deploy tokens',
  intro: 'Deploy tokens give access to the repository, registries or packages only.',
  empty: 'No deploy tokens.',
  list: '/deploy_tokens',
  query: { active: true },
  least: 40,
  item: (token) =>
    html`<strong>${token.name}</strong> <span class="muted">${token.username} · ${token.scopes.join(', ')} · ${token.expires_at ? `until ${token.expires_at.slice(0, 10)}` : 'never expires'}</span>`,
  add: {
    title: 'New deploy token',
    button: 'Create token',
    fields: [
      { name: 'name', label: 'Name', required: true },
      { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty: never expires' },
      {
        name: 'scopes',
        label: 'Scopes',
        kind: 'checks',
        options: [
          ['read_repository', 'read_repository: clone and fetch'],
          ['read_registry', 'read_registry: pull images'],
          ['write_registry', 'write_registry: push images'],
          ['read_package_registry', 'read_package_registry: download packages'],
          ['write_package_registry', 'write_package_registry: publish packages'],
        ],
      },
    ],
  },
  buttons: {
    revoke: { text: 'Revoke', method: 'DELETE', path: (id) => `/deploy_tokens/${encodeURIComponent(id)}` },
  },
  secret: (created) => secretNotice(created.token, html`<p>The username is <code>${created.username}</code>.</p>`),
};
