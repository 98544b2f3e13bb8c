import type { Collection } from '../forms/collection.ts';
import { html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** Groups that the project or group is shared with, and their maximum access level. */
export const shares: Collection = {
  path: '/-/settings/shared_groups',
  title: 'Shared with groups',
  intro:
    'The members of these groups are members here too, with their own role or the one that is named, whichever is less.',
  empty: 'Shared with no group.',
  list: '',
  query: { with_projects: false },
  within: ({ shared_with_groups }) => shared_with_groups,
  least: 50,
  idOf: ({ group_id }) => String(group_id),
  item: (share, { visit }) =>
    html`<a class="main" href="${visit.base}/${share.group_full_path}">${share.group_full_path}</a> <span class="muted">${roleName(share.group_access_level)} at most${share.expires_at && ` until ${share.expires_at}`}</span>`,
  add: {
    title: 'Share with a group',
    button: 'Share',
    fields: [
      { name: 'group', label: 'Group', required: true, placeholder: 'group/subgroup' },
      { name: 'group_access', label: 'At most', kind: 'rank', options: roles },
      { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty for as long as nobody changes it' },
    ],
    start: { group_access: '30' },
    made: { method: 'POST', path: () => '/share' },
    async prepare({ group, ...sent }, { visit }) {
      const found = await visit.api.maybe(`/groups/${encodeURIComponent(String(group))}`, { with_projects: false });
      // For an unknown group, ID 0 makes the API return its own error.
      return { ...sent, group_id: found?.id ?? 0 };
    },
  },
  buttons: {
    remove: { text: 'Share no more', method: 'DELETE', path: (id) => `/share/${encodeURIComponent(id)}` },
  },
};
