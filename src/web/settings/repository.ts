import type { Collection, SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { SettingsForm } from '../forms/settings-form.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { secretNotice } from './tokens.ts';

const levels: readonly (readonly [string, string])[] = [
  ['40', 'Maintainers'],
  ['30', 'Developers and Maintainers'],
  ['0', 'Nobody'],
];

const who = (list: readonly Entity[] | undefined) =>
  (list ?? []).map(({ access_level_description }) => access_level_description).join(', ') || 'nobody';

const rank = (name: string, label: string): Field => ({ name, label, kind: 'rank', options: levels });

export const pushProtection: SettingsForm = {
  path: '/-/settings/push_protection',
  title: 'Push protection',
  intro: 'Detects tokens and private keys in pushes. The user is told the location and can bypass the check.',
  api: '/security_settings',
  method: 'PUT',
  fields: [{ name: 'secret_push_protection_enabled', label: 'Reject pushes that add secrets', kind: 'check' }],
};

const branchFields: readonly Field[] = [
  rank('push_access_level', 'Allowed to push'),
  rank('merge_access_level', 'Allowed to merge'),
  { name: 'allow_force_push', label: 'Allow force push', kind: 'check' },
  { name: 'code_owner_approval_required', label: 'Require code owner approval', kind: 'check' },
];

/** The access level that applies by role; entries for users, groups and deploy keys are kept. */
const byRole = (levels: readonly Entity[] | undefined) =>
  (levels ?? []).find(({ user_id, group_id, deploy_key_id }) => !user_id && !group_id && !deploy_key_id);

/** Returns the API parameters that replace the role of a protected branch. */
async function changedLevels({ visit, api }: SectionContext, sent: JsonBody): Promise<JsonBody> {
  const { push_access_level, merge_access_level, ...rest } = sent;
  const branch = await visit.api.get(api + oneBranch(visit.query.get('id') ?? ''));
  const change = (before: readonly Entity[] | undefined, level: unknown) => {
    const held = byRole(before);
    if (held?.access_level === level) return [];
    return [...(held ? [{ id: held.id, _destroy: true }] : []), { access_level: level }];
  };
  return {
    ...rest,
    allowed_to_push: change(branch.push_access_levels, push_access_level),
    allowed_to_merge: change(branch.merge_access_levels, merge_access_level),
  };
}

const oneBranch = (name: string) => `/protected_branches/${encodeURIComponent(name)}`;

export const protectedBranches: Collection = {
  path: '/-/settings/branches',
  title: 'Protected branches',
  intro: 'Protected branches cannot be deleted with Git, and only allowed users can push and merge.',
  empty: 'No protected branches.',
  list: '/protected_branches',
  least: 40,
  idOf: ({ name }) => name,
  item: (branch) =>
    html`<code>${branch.name}</code> ${branch.allow_force_push && badge('failed', 'force push allowed')}<p class="muted">pushed to by ${who(branch.push_access_levels)} · merged into by ${who(branch.merge_access_levels)}</p>`,
  add: {
    title: 'Protect a branch',
    button: 'Protect',
    fields: [
      { name: 'name', label: 'Branch', required: true, hint: 'Name or wildcard, such as release/*' },
      ...branchFields,
    ],
  },
  edit: {
    fields: branchFields,
    method: 'PATCH',
    path: oneBranch,
    valuesOf: (branch) => ({
      ...branch,
      push_access_level: byRole(branch.push_access_levels)?.access_level,
      merge_access_level: byRole(branch.merge_access_levels)?.access_level,
    }),
    prepare: (sent, context) => changedLevels(context, sent),
  },
  buttons: {
    unprotect: { text: 'Unprotect', method: 'DELETE', path: oneBranch },
  },
};

export const protectedTags: Collection = {
  path: '/-/settings/tags',
  title: 'Protected tags',
  intro: 'Only allowed users can create, update and delete protected tags.',
  empty: 'No protected tags.',
  list: '/protected_tags',
  least: 40,
  idOf: ({ name }) => name,
  item: (tag) => html`<code>${tag.name}</code><p class="muted">created by ${who(tag.create_access_levels)}</p>`,
  add: {
    title: 'Protect tags',
    button: 'Protect',
    fields: [
      { name: 'name', label: 'Tag', required: true, hint: 'Name or wildcard, such as v*' },
      rank('create_access_level', 'Allowed to create'),
    ],
  },
  buttons: {
    unprotect: { text: 'Unprotect', method: 'DELETE', path: (id) => `/protected_tags/${encodeURIComponent(id)}` },
  },
};

export const deployKeys: Collection = {
  path: '/-/settings/deploy_keys',
  title: 'Deploy keys',
  intro: 'SSH keys of servers with read access and, optionally, write access to the repository.',
  empty: 'No deploy keys.',
  list: '/deploy_keys',
  least: 40,
  item: (key) =>
    html`<strong>${key.title}</strong> ${key.can_push && badge('manual', 'may push')}<p class="muted"><code>${key.fingerprint_sha256 ?? key.key.slice(0, 60)}</code> · added ${relativeTime(key.created_at)}</p>`,
  add: {
    title: 'Add a key',
    button: 'Add key',
    fields: [
      { name: 'title', label: 'Title', required: true },
      { name: 'key', label: 'Public key', kind: 'area', required: true, placeholder: 'ssh-ed25519 …' },
      { name: 'can_push', label: 'Grant write permission', kind: 'check' },
    ],
  },
  buttons: {
    remove: { text: 'Remove', method: 'DELETE', path: (id) => `/deploy_keys/${encodeURIComponent(id)}` },
  },
};

export const triggers: Collection = {
  path: '/-/settings/triggers',
  title: 'Pipeline triggers',
  intro: 'A trigger token starts pipelines through the API.',
  empty: 'No triggers.',
  list: '/triggers',
  least: 40,
  item: (trigger) =>
    html`<strong>${trigger.description}</strong><p class="muted">created ${relativeTime(trigger.created_at)} · ${trigger.last_used ? html`used ${relativeTime(trigger.last_used)}` : 'never used'}</p>`,
  add: {
    title: 'New trigger',
    button: 'Create trigger',
    fields: [{ name: 'description', label: 'Description', required: true }],
  },
  buttons: {
    remove: { text: 'Delete', method: 'DELETE', path: (id) => `/triggers/${encodeURIComponent(id)}` },
  },
  secret: (created) => secretNotice(created.token),
};

export const mirrors: Collection = {
  path: '/-/settings/mirrors',
  title: 'Mirrors',
  intro: 'Changes are pushed to these repositories.',
  empty: 'No mirrors.',
  list: '/remote_mirrors',
  least: 40,
  item: (mirror) =>
    html`<code>${mirror.url}</code> ${!mirror.enabled && badge('inactive')} ${badge(mirror.update_status)}<p class="muted">${mirror.last_error}</p>`,
  add: {
    title: 'New mirror',
    button: 'Add mirror',
    fields: [
      {
        name: 'url',
        label: 'Address',
        required: true,
        placeholder: 'https://user:token@other.example/group/project.git',
      },
      { name: 'enabled', label: 'On', kind: 'check' },
      { name: 'only_protected_branches', label: 'Only protected branches', kind: 'check' },
    ],
    start: { enabled: true },
  },
  buttons: {
    sync: { text: 'Push now', method: 'POST', path: (id) => `/remote_mirrors/${encodeURIComponent(id)}/sync` },
    remove: { text: 'Remove', method: 'DELETE', path: (id) => `/remote_mirrors/${encodeURIComponent(id)}` },
  },
};
