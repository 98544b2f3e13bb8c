import type { Migration } from '../platform/database/migrator.ts';

/** Suggested changes in notes on merge request lines. */
export const suggestions: Migration = {
  name: '0202-suggestions',
  up: ({ id }) => [
    `create table suggestions (
      id ${id},
      note_id bigint not null references notes (id) on delete cascade,
      relative_order integer not null,
      lines_above integer not null,
      lines_below integer not null,
      to_content text not null,
      commit_id text
    )`,
    'create unique index suggestions_note on suggestions (note_id, relative_order)',
  ],
};
