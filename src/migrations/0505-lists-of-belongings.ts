import type { Migration } from '../platform/database/migrator.ts';

/** Indexes in list order, for lists that sorted all rows for each page. */
export const listsOfBelongings: Migration = {
  name: '0505-lists-of-belongings',
  up: () => [
    'drop index topics_count',
    'create index topics_count on topics (total_projects_count desc, id)',
    'create index access_requests_of_namespace on access_requests (namespace_id, id) where namespace_id is not null',
    'create index access_requests_of_project on access_requests (project_id, id) where project_id is not null',
    `create index member_invitations_of_namespace on member_invitations (namespace_id, id, expires_at)
      where namespace_id is not null`,
    `create index member_invitations_of_project on member_invitations (project_id, id, expires_at)
      where project_id is not null`,
    'create index audit_events_type on audit_events (entity_type, id)',
  ],
};
