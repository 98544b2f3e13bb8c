import type { Migration } from '../platform/database/migrator.ts';

const ofProject = 'project_id bigint not null references projects (id) on delete cascade';

/** Pipeline triggers and schedules. */
export const triggersAndSchedules: Migration = {
  name: '0111-triggers-and-schedules',
  up: ({ id, text }) => [
    `create table pipeline_triggers (
      id ${id},
      ${ofProject},
      owner_id bigint not null references users (id) on delete cascade,
      description text,
      token_digest text not null,
      token text not null,
      expires_at bigint,
      last_used_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index pipeline_triggers_token on pipeline_triggers (token_digest)',
    'create index pipeline_triggers_project on pipeline_triggers (project_id, id)',
    'create index pipeline_triggers_owner on pipeline_triggers (owner_id)',

    `create table pipeline_schedules (
      id ${id},
      ${ofProject},
      owner_id bigint references users (id) on delete set null,
      description text not null,
      ref text not null,
      cron text not null,
      cron_timezone text not null,
      active integer not null default 1,
      next_run_at bigint,
      inputs text not null default '[]',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index pipeline_schedules_project on pipeline_schedules (project_id, id)',
    'create index pipeline_schedules_due on pipeline_schedules (next_run_at) where active = 1',
    'create index pipeline_schedules_owner on pipeline_schedules (owner_id) where owner_id is not null',
    'create index pipelines_schedule on pipelines (schedule_id, id) where schedule_id is not null',

    `create table pipeline_schedule_variables (
      schedule_id bigint not null references pipeline_schedules (id) on delete cascade,
      key ${text} not null,
      value text not null,
      variable_type text not null default 'env_var',
      primary key (schedule_id, key)
    )`,
  ],
};
