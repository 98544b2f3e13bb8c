import type { Migration } from '../platform/database/migrator.ts';

/** The custom role that a SAML group link gives, based on its access level. */
export const samlGroupLinkRoles: Migration = {
  name: '1170-saml-group-link-roles',
  up: ({ ref }) => [
    `alter table saml_group_links add column member_role_id ${ref('member_roles')} on delete set null`,
    'create index saml_group_links_role on saml_group_links (member_role_id) where member_role_id is not null',
  ],
};
