import type { Migration } from '../platform/database/migrator.ts';

/** Audit events. Without foreign keys, because a record outlives the objects it refers to. */
export const auditEvents: Migration = {
  name: '0073-audit-events',
  up: ({ id }) => [
    `create table audit_events (
      id ${id},
      author_id bigint not null,
      entity_type text not null,
      entity_id bigint not null,
      event_name text not null,
      details text not null,
      created_at bigint not null
    )`,
    'create index audit_events_entity on audit_events (entity_type, entity_id, id)',
    'create index audit_events_created on audit_events (created_at)',
  ],
};
