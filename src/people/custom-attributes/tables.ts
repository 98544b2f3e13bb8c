import type { Generated } from 'kysely';

export const attributeKinds = ['user', 'group', 'project'] as const;
/** What carries attributes. */
export type AttributeKind = (typeof attributeKinds)[number];

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
