import type { Generated, Selectable } from 'kysely';

export interface SamlGroupLinksTable {
  id: Generated<number>;
  namespace_id: number;
  saml_group_name: string;
  /** Empty for all providers; null would not be unique. */
  provider: string;
  access_level: number;
  /** A custom role based on the level. */
  member_role_id: Generated<number | null>;
  created_at: number;
}

export type SamlGroupLinkRow = Selectable<SamlGroupLinksTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    saml_group_links: SamlGroupLinksTable;
  }
}
