import type { Migration } from '../platform/database/migrator.ts';

/** Groups of SAML providers whose users get a role in a group. An empty provider stands for every one. */
export const samlGroupLinks: Migration = {
  name: '1161-saml-group-links',
  up: (dialect) => [
    `create table saml_group_links (
      id ${dialect.id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      saml_group_name text not null,
      provider text not null,
      access_level integer not null,
      created_at bigint not null
    )`,
    'create unique index saml_group_links_name on saml_group_links (namespace_id, saml_group_name, provider)',
    'create index saml_group_links_saml_group_name on saml_group_links (saml_group_name)',
  ],
};
