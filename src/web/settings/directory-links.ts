import type { Collection } from '../forms/collection.ts';
import { html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** LDAP groups whose users become members of a group. */
export const directoryLinks: Collection = {
  path: '/-/settings/ldap_group_links',
  title: 'Directory groups',
  intro: 'Users in these LDAP groups are members here.',
  empty: 'No LDAP groups.',
  list: '/ldap_group_links',
  missingWhenEmpty: true,
  least: 50,
  idOf: ({ provider, cn, filter }) =>
    new URLSearchParams({ provider, ...(cn === null ? { filter } : { cn }) }).toString(),
  item: (link) =>
    html`<code>${link.cn ?? link.filter}</code> <span class="muted">${link.provider} · ${roleName(link.group_access)}</span>`,
  add: {
    title: 'New link',
    button: 'Add link',
    fields: async ({ visit }) => [
      {
        name: 'provider',
        label: 'Directory',
        kind: 'select',
        options: visit.services.directories.map(({ settings }) => [settings.provider, settings.provider] as const),
      },
      { name: 'cn', label: 'LDAP group', hint: 'Common name, or a filter' },
      { name: 'filter', label: 'Filter', placeholder: '(department=tea)' },
      { name: 'group_access', label: 'Role', kind: 'rank', options: roles },
    ],
    start: { group_access: '30' },
  },
  buttons: {
    remove: {
      text: 'Remove',
      method: 'DELETE',
      path: (id) => `/ldap_group_links?${new URLSearchParams(id)}`,
    },
  },
};
