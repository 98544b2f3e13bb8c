import type { Generated } from 'kysely';

/** Kinds of resources with custom attributes. */
export type AttributeKind = 'user' | 'group' | 'project';

export interface CustomAttributesTable {
  id: Generated<number>;
  owner_kind: AttributeKind;
  owner_id: number;
  key: string;
  value: string;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    custom_attributes: CustomAttributesTable;
  }
}
