import type { Migration } from '../platform/database/migrator.ts';

/** Maps runner registration tokens to their projects and groups. */
export const registrationTokens: Migration = {
  name: '0061-registration-tokens',
  up: () => [
    `create table runner_registration_tokens (
      token_digest text primary key,
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create index runner_registration_tokens_project on runner_registration_tokens (project_id)',
    'create index runner_registration_tokens_namespace on runner_registration_tokens (namespace_id)',
  ],
};
