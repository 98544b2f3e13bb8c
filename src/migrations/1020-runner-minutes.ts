import type { Migration } from '../platform/database/migrator.ts';

/** Monthly minutes used on instance runners by each top-level group or user. */
export const runnerMinutes: Migration = {
  name: '1020-runner-minutes',
  up: ({ id }) => [
    `create table runner_minutes (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      month bigint not null,
      seconds bigint not null
    )`,
    'create index runner_minutes_namespace on runner_minutes (namespace_id, month, seconds)',
    // Jobs held back from instance runners until minutes are available again.
    'create index pending_jobs_kept on pending_jobs (project_id) where instance_runners = 0',
  ],
};
