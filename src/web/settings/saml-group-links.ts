import { samlProvidersOf } from '../../config/saml-providers.ts';
import type { Collection } from '../forms/collection.ts';
import { html } from '../frame/html.ts';
import { roleName, roles } from '../namespaces/roles.ts';

/** SAML groups whose users get a role in a group when they sign in. */
export const samlGroupLinks: Collection = {
  path: '/-/settings/saml_group_links',
  title: 'SAML groups',
  intro: 'Users in these SAML groups get their role here when they sign in.',
  empty: 'No SAML groups.',
  list: '/saml_group_links',
  least: 50,
  idOf: ({ name, provider }) => new URLSearchParams({ name, provider: provider ?? '' }).toString(),
  item: ({ name, provider, access_level }) =>
    html`<code>${name}</code> <span class="muted">${provider === null ? '' : `${provider} · `}${roleName(access_level)}</span>`,
  add: {
    title: 'New link',
    button: 'Add link',
    fields: async ({ visit }) => [
      { name: 'saml_group_name', label: 'SAML group', required: true },
      {
        name: 'provider',
        label: 'Provider',
        kind: 'select',
        options: [
          ['', 'All'] as const,
          ...samlProvidersOf(visit.services.config).map(
            ({ samlProvider, samlLabel }) => [samlProvider, samlLabel ?? samlProvider] as const,
          ),
        ],
      },
      { name: 'access_level', label: 'Role', kind: 'rank', options: roles },
    ],
    start: { access_level: '30' },
  },
  buttons: {
    remove: {
      text: 'Remove',
      method: 'DELETE',
      path: (id) => {
        const { name = '', provider = '' } = Object.fromEntries(new URLSearchParams(id));
        return `/saml_group_links/${encodeURIComponent(name)}?${new URLSearchParams({ provider })}`;
      },
    },
  },
};
