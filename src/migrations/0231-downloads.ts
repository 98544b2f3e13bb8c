import type { Migration } from '../platform/database/migrator.ts';

/** Recent project downloads per user, for the download limit, and users banned from groups. */
export const downloads: Migration = {
  name: '0231-downloads',
  up: () => [
    `create table project_downloads (
      scope bigint not null,
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      last_at bigint not null,
      primary key (scope, user_id, project_id)
    )`,
    'create index project_downloads_time on project_downloads (scope, user_id, last_at)',
    'create index project_downloads_old on project_downloads (last_at)',
    'create index project_downloads_user on project_downloads (user_id)',
    'create index project_downloads_project on project_downloads (project_id)',
    `create table namespace_bans (
      namespace_id bigint not null references namespaces (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      memberships text not null,
      created_at bigint not null,
      primary key (namespace_id, user_id)
    )`,
    'create index namespace_bans_user on namespace_bans (user_id)',
  ],
};
