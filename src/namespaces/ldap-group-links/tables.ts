import type { Generated, Selectable } from 'kysely';

export interface LdapGroupLinksTable {
  id: Generated<number>;
  namespace_id: number;
  provider: string;
  /** CN of an LDAP group; null if the link uses a filter. */
  cn: string | null;
  filter: string | null;
  /** Digest of the CN or filter for the unique index; a filter may be too long to be indexed itself. */
  target_digest: string;
  group_access: number;
  member_role_id: Generated<number | null>;
  created_at: number;
}

export type LdapGroupLinkRow = Selectable<LdapGroupLinksTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ldap_group_links: LdapGroupLinksTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The LDAP links of a group changed. */
    'ldap_group_links.changed': { readonly groupId: number };
  }
}
