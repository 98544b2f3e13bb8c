import type { Migration } from '../platform/database/migrator.ts';

/** The registration token of instance runners, and an index of projects that delete old pipelines. */
export const instanceRegistrationToken: Migration = {
  name: '0350-instance-registration-token',
  up: () => [
    `create table instance_registration_token (
      id bigint primary key check (id = 1),
      token_digest text not null
    )`,
    // Few projects have this setting, so the index is small and the cleanup reads no others.
    `create index projects_pipeline_retention on projects (id)
      where settings like '%ci_delete_pipelines_in_seconds%'`,
  ],
};
