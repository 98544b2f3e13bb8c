import type { Migration } from '../database/migrator.ts';

/** Background jobs, and when recurring ones are due. */
export const queue: Migration = {
  name: '0004-queue',
  up: ({ id, text }) => [
    `create table jobs (
      id ${id},
      kind ${text} not null,
      lane ${text} not null,
      payload text not null,
      state ${text} not null default 'pending',
      dedupe_key ${text},
      waiting_key ${text},
      run_at bigint not null,
      attempts integer not null default 0,
      max_attempts integer not null,
      lease_token ${text},
      lease_until bigint,
      error text,
      created_at bigint not null,
      failed_at bigint,
      check (state in ('pending', 'running', 'dead')),
      check ((state = 'running') = (lease_token is not null)),
      check (state = 'pending' or waiting_key is null)
    )`,
    'create index jobs_lane on jobs (state, lane, run_at, id)',
    'create index jobs_lease on jobs (lease_until) where lease_until is not null',
    'create index jobs_dead on jobs (state, id)',
    'create unique index jobs_waiting on jobs (waiting_key)',

    `create table recurring_jobs (
      name ${text} primary key,
      next_run_at bigint not null,
      last_run_at bigint
    )`,
  ],
};
