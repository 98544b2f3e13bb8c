import type { Migration } from '../platform/database/migrator.ts';

/** Related epics. */
export const epicLinks: Migration = {
  name: '0127-epic-links',
  up: ({ id }) => [
    `create table epic_links (
      id ${id},
      source_id bigint not null references epics (id) on delete cascade,
      target_id bigint not null references epics (id) on delete cascade,
      link_type text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index epic_links_once on epic_links (source_id, target_id)',
    'create index epic_links_target on epic_links (target_id, source_id)',
  ],
};
