import type { Migration } from '../platform/database/migrator.ts';

/**
 * Records which system notes are cross-references: at most one per source, visible only to users who can read the
 * source. The parent of the source is not a foreign key: when it is deleted, the note must not become visible to
 * everyone.
 */
export const crossReferences: Migration = {
  name: '0045-cross-references',
  up: () => [
    `create table cross_references (
      note_id bigint primary key references notes (id) on delete cascade,
      target_type text not null,
      target_id bigint not null,
      source_type text not null,
      source_id bigint,
      source_project_id bigint,
      source_commit text
    )`,
    `create unique index cross_references_source on cross_references (source_type, source_id, target_type, target_id)
      where source_id is not null`,
    `create unique index cross_references_commit
      on cross_references (source_project_id, source_commit, target_type, target_id) where source_commit is not null`,
  ],
};
