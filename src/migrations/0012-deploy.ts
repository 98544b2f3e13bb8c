import type { Migration } from '../platform/database/migrator.ts';

/** Machine credentials: deploy tokens, and the projects that deploy keys can access. */
export const deploy: Migration = {
  name: '0012-deploy',
  up: ({ id, text }) => [
    `create table deploy_tokens (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      creator_id bigint references users (id) on delete set null,
      name text not null,
      username ${text} not null,
      digest text not null,
      scopes text not null,
      revoked integer not null default 0,
      expires_at bigint,
      last_used_at bigint,
      created_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index deploy_tokens_digest on deploy_tokens (digest)',
    'create index deploy_tokens_project on deploy_tokens (project_id, id) where project_id is not null',
    'create index deploy_tokens_namespace on deploy_tokens (namespace_id, id) where namespace_id is not null',

    `create table deploy_key_projects (
      key_id bigint not null references ssh_keys (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      can_push integer not null default 0,
      created_at bigint not null,
      primary key (key_id, project_id)
    )`,
    'create index deploy_key_projects_project on deploy_key_projects (project_id, key_id)',
  ],
};
