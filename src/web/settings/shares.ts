import type { Collection } from '../forms/collection.ts';
import { html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** Groups that the project or group is shared with, and their maximum access level. */
export const shares: Collection = {
  path: '/-/settings/shared_groups',
  title: 'Shared with groups',
  intro: 'Members of these groups have access with their own role, limited by the given one.',
  empty: 'Not shared.',
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
      { name: 'group_access', label: 'Maximum role', kind: 'rank', options: roles },
      { name: 'expires_at', label: 'Until', kind: 'date', hint: 'Empty: does not expire' },
    ],
    start: { group_access: '30' },
    created: { method: 'POST', path: () => '/share' },
    async prepare({ group, ...sent }, { visit }) {
      const found = await visit.api.maybe(`/groups/${encodeURIComponent(String(group))}`, { with_projects: false });
      // For an unknown group, ID 0 makes the API return its own error.
      return { ...sent, group_id: found?.id ?? 0 };
    },
  },
  buttons: {
    remove: { text: 'Stop sharing', method: 'DELETE', path: (id) => `/share/${encodeURIComponent(id)}` },
  },
};
