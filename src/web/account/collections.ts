import type { Collection } from '../forms/collection.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { secretNotice, tokenLine, tokenScopes } from '../settings/tokens.ts';

export const tokens: Collection = {
  path: '/-/user_settings/personal_access_tokens',
  title: 'Access tokens',
  intro: 'Tokens authenticate you in API clients and for Git over HTTP.',
  empty: 'No tokens.',
  list: '/personal_access_tokens',
  query: ({ visit }) => ({ user_id: visit.user?.id, state: 'active' }),
  item: tokenLine,
  add: {
    title: 'New token',
    button: 'Create token',
    fields: [
      { name: 'name', label: 'Name', required: true },
      { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Default: the maximum that the server allows' },
      {
        name: 'scopes',
        label: 'Scopes',
        kind: 'checks',
        options: [
          ...tokenScopes,
          ['read_user', 'read_user: read your profile'],
          ['sudo', 'sudo: act as any user; for administrators only'],
        ],
      },
    ],
    to: '/user/personal_access_tokens',
  },
  buttons: {
    revoke: { text: 'Revoke', method: 'DELETE', path: (id) => `/personal_access_tokens/${encodeURIComponent(id)}` },
  },
  secret: (created) => secretNotice(created.token),
};

export const sshKeys: Collection = {
  path: '/-/user_settings/ssh_keys',
  title: 'SSH keys',
  empty: 'No SSH keys. Git over SSH requires one.',
  list: '/user/keys',
  item: (key) =>
    html`<strong>${key.title}</strong><p><code>${key.key.slice(0, 80)}…</code></p><p class="muted">added ${relativeTime(key.created_at)} · ${key.last_used_at ? html`used ${relativeTime(key.last_used_at)}` : 'never used'}${key.expires_at && html` · until ${key.expires_at.slice(0, 10)}`}</p>`,
  add: {
    title: 'Add a key',
    button: 'Add key',
    fields: [
      { name: 'title', label: 'Title', required: true },
      { name: 'key', label: 'Public key', kind: 'area', required: true, placeholder: 'ssh-ed25519 …' },
      { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty: never expires' },
    ],
    prepare: ({ key, ...sent }) => ({ ...sent, key: String(key ?? '').trim() }),
  },
  buttons: { remove: { text: 'Remove', method: 'DELETE', path: (id) => `/user/keys/${encodeURIComponent(id)}` } },
};

export const gpgKeys: Collection = {
  path: '/-/user_settings/gpg_keys',
  title: 'GPG keys',
  intro: 'Commits signed with one of these keys are shown as verified.',
  empty: 'No GPG keys.',
  list: '/user/gpg_keys',
  item: (key) => html`<pre>${key.key.slice(0, 160)}…</pre><p class="muted">added ${relativeTime(key.created_at)}</p>`,
  add: {
    title: 'Add a key',
    button: 'Add key',
    fields: [
      {
        name: 'key',
        label: 'Public key',
        kind: 'area',
        required: true,
        placeholder: '-----BEGIN PGP PUBLIC KEY BLOCK-----',
      },
    ],
  },
  buttons: {
    remove: { text: 'Remove', method: 'DELETE', path: (id) => `/user/gpg_keys/${encodeURIComponent(id)}` },
    revoke: {
      text: 'Revoke: its commits become unverified',
      method: 'POST',
      path: (id) => `/user/gpg_keys/${encodeURIComponent(id)}/revoke`,
    },
  },
};

export const emails: Collection = {
  path: '/-/profile/emails',
  title: 'Emails',
  intro: ({ visit }) => html`Your main address is ${visit.user?.email}. Commits of these belong to you too.`,
  empty: 'No other addresses.',
  list: '/user/emails',
  item: (email) => html`${email.email} ${email.confirmed_at === null && badge('unresolved', 'not confirmed')}`,
  add: {
    title: 'Add an address',
    button: 'Add address',
    fields: [{ name: 'email', label: 'Email', kind: 'email', required: true }],
  },
  buttons: { remove: { text: 'Remove', method: 'DELETE', path: (id) => `/user/emails/${encodeURIComponent(id)}` } },
};
