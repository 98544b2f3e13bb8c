import type { Migration } from '../platform/database/migrator.ts';

/** Files published in Debian distributions, and why a package is in the status `error`. */
export const debianFiles: Migration = {
  name: '1126-debian-files',
  up: ({ text }) => [
    `create table debian_files (
      file_id bigint primary key references package_files (id) on delete cascade,
      distribution_id bigint not null references debian_distributions (id) on delete cascade,
      file_name ${text} not null,
      component ${text} not null,
      architecture ${text} not null,
      kind text not null,
      paragraph text not null,
      unique (distribution_id, file_name)
    )`,
    'create index debian_files_indexed on debian_files (distribution_id, component, kind, architecture, file_id)',
    'alter table packages add column status_message text',
  ],
};
