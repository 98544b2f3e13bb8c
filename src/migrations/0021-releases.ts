import type { Migration } from '../platform/database/migrator.ts';

/** Releases of projects with their links and evidence. */
export const releases: Migration = {
  name: '0021-releases',
  up: ({ id, text }) => [
    `create table releases (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      tag ${text} not null,
      name ${text} not null,
      description text,
      sha text,
      author_id bigint references users (id) on delete set null,
      released_at bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index releases_tag on releases (project_id, tag)',
    'create index releases_released on releases (project_id, released_at, id)',
    'create index releases_created on releases (project_id, created_at, id)',
    'create index releases_author on releases (author_id) where author_id is not null',

    `create table release_links (
      id ${id},
      release_id bigint not null references releases (id) on delete cascade,
      name ${text} not null,
      url ${text} not null,
      filepath ${text},
      link_type text not null,
      created_at bigint not null
    )`,
    'create unique index release_links_name on release_links (release_id, name)',
    'create unique index release_links_url on release_links (release_id, url)',
    'create unique index release_links_filepath on release_links (release_id, filepath) where filepath is not null',

    `create table release_evidences (
      id ${id},
      release_id bigint not null references releases (id) on delete cascade,
      sha text not null,
      summary text not null,
      created_at bigint not null
    )`,
    'create index release_evidences_release on release_evidences (release_id, id)',
  ],
};
