import type { Migration } from '../platform/database/migrator.ts';

/** How long the jobs of a group at the top, or of a user, were on runners of the instance, by month. */
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
    // Jobs that runners of the instance were kept from, until the minutes are there again.
    'create index pending_jobs_kept on pending_jobs (project_id) where instance_runners = 0',
  ],
};
