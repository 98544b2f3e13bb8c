import type { Migration } from '../platform/database/migrator.ts';

/** Releases of Debian distributions, and the index files that they list. */
export const debianIndexes: Migration = {
  name: '1127-debian-indexes',
  up: (dialect) => [
    'alter table debian_distributions add column revision bigint not null default 0',
    'alter table debian_distributions add column released_revision bigint not null default -1',
    'alter table debian_distributions add column valid_until bigint',
    'alter table debian_distributions add column release_file text',
    'alter table debian_distributions add column release_signature text',
    'alter table debian_distributions add column signed_release text',
    'create index debian_distributions_valid_until on debian_distributions (valid_until) where valid_until is not null',
    'create index debian_distributions_codename on debian_distributions (codename, group_id)',
    `create table debian_indexes (
      id ${dialect.id},
      distribution_id bigint not null references debian_distributions (id) on delete cascade,
      path text not null,
      size bigint not null,
      sha256 text not null,
      storage_key text,
      superseded_at bigint
    )`,
    'create index debian_indexes_path on debian_indexes (distribution_id, path, sha256)',
  ],
};
