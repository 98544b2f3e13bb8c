import type { Migration } from '../platform/database/migrator.ts';

/** External status checks and their responses. */
export const statusChecks: Migration = {
  name: '0665-status-checks',
  up: ({ id, text }) => [
    `create table external_status_checks (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      external_url ${text} not null,
      sealed_secret text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index external_status_checks_name on external_status_checks (project_id, name)',
    'create unique index external_status_checks_url on external_status_checks (project_id, external_url)',

    `create table external_status_check_branches (
      check_id bigint not null references external_status_checks (id) on delete cascade,
      branch_id bigint not null references protected_branches (id) on delete cascade,
      primary key (check_id, branch_id)
    )`,
    'create index external_status_check_branches_branch on external_status_check_branches (branch_id)',

    `create table status_check_responses (
      id ${id},
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      check_id bigint not null references external_status_checks (id) on delete cascade,
      sha text not null,
      status text not null,
      answered_at bigint not null
    )`,
    `create unique index status_check_responses_head on status_check_responses (merge_request_id, sha, check_id)`,
    'create index status_check_responses_check on status_check_responses (check_id)',
  ],
};
