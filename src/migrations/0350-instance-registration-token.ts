import type { Migration } from '../platform/database/migrator.ts';

/** The token that registers runners of the instance; which projects have their old pipelines removed. */
export const instanceRegistrationToken: Migration = {
  name: '0350-instance-registration-token',
  up: () => [
    `create table instance_registration_token (
      id bigint primary key check (id = 1),
      token_digest text not null
    )`,
    // As few projects set it, the index is small, and the sweep reads no others.
    `create index projects_pipeline_retention on projects (id)
      where settings like '%ci_delete_pipelines_in_seconds%'`,
  ],
};
