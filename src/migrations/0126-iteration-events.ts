import type { Migration } from '../platform/database/migrator.ts';

/** Records who added an issue to an iteration or removed it. */
export const iterationEvents: Migration = {
  name: '0126-iteration-events',
  up: ({ id }) => [
    `create table resource_iteration_events (
      id ${id},
      issue_id bigint not null references issues (id) on delete cascade,
      iteration_id bigint references iterations (id) on delete set null,
      user_id bigint not null references users (id),
      action text not null,
      created_at bigint not null
    )`,
    'create index resource_iteration_events_issue on resource_iteration_events (issue_id, id)',
    'create index resource_iteration_events_iteration on resource_iteration_events (iteration_id)',
    'create index resource_iteration_events_user on resource_iteration_events (user_id)',
  ],
};
