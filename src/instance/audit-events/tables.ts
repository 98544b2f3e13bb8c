import type { Generated, Selectable } from 'kysely';

export const entityTypes = ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope'] as const;
export type EntityType = (typeof entityTypes)[number];

export interface AuditEventsTable {
  id: Generated<number>;
  /** -1 for the server itself. */
  author_id: number;
  entity_type: EntityType;
  entity_id: number;
  event_name: string;
  /** JSON. */
  details: string;
  created_at: number;
}

export type AuditEventRow = Selectable<AuditEventsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    audit_events: AuditEventsTable;
  }
}
