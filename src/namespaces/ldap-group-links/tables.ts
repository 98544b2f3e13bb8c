import type { Generated, Selectable } from 'kysely';

export interface LdapGroupLinksTable {
  id: Generated<number>;
  namespace_id: number;
  provider: string;
  /** The name of a group in the directory; null where a filter says who is meant. */
  cn: string | null;
  filter: string | null;
  /** Stands for either in the unique rule: a filter may be too long for an index. */
  target_digest: string;
  group_access: number;
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
    /** A group gets its members from the directory by other rules than before. */
    'ldap_group_links.changed': { readonly groupId: number };
  }
}
