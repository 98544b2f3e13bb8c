import type { Migration } from '../platform/database/migrator.ts';

/** Draft notes of a review, visible only to their author. */
export const draftNotes: Migration = {
  name: '0200-draft-notes',
  up: ({ id }) => [
    `create table draft_notes (
      id ${id},
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      author_id bigint not null references users (id) on delete cascade,
      note text not null,
      discussion_id text,
      resolve_discussion integer not null default 0,
      commit_id text,
      position text,
      line_code text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index draft_notes_of on draft_notes (merge_request_id, author_id, id)',
    'create index draft_notes_author on draft_notes (author_id)',
  ],
};
