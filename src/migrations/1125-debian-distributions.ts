import type { Migration } from '../platform/database/migrator.ts';

/** Debian distributions of projects and groups, with the keys that sign their releases. */
export const debianDistributions: Migration = {
  name: '1125-debian-distributions',
  up: (dialect) => [
    `create table debian_distributions (
      id ${dialect.id},
      project_id bigint references projects (id) on delete cascade,
      group_id bigint references namespaces (id) on delete cascade,
      codename text not null,
      suite text,
      origin text,
      label text,
      version text,
      description text,
      valid_time_duration_seconds bigint,
      components text not null,
      architectures text not null,
      public_key text not null,
      private_key text not null,
      created_at bigint not null,
      updated_at bigint not null,
      check ((project_id is null) <> (group_id is null))
    )`,
    'create unique index debian_distributions_project_codename on debian_distributions (project_id, codename)',
    'create unique index debian_distributions_project_suite on debian_distributions (project_id, suite)',
    'create unique index debian_distributions_group_codename on debian_distributions (group_id, codename)',
    'create unique index debian_distributions_group_suite on debian_distributions (group_id, suite)',
  ],
};
