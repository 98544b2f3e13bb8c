import type { Migration } from '../platform/database/migrator.ts';

/** Files of a merge request that a user marked as viewed. */
export const viewedFiles: Migration = {
  name: '1051-viewed-files',
  up: ({ id, text }) => [
    `create table viewed_files (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      version ${text} not null,
      viewed_at bigint not null,
      unique (user_id, merge_request_id, version)
    )`,
    'create index viewed_files_of_request on viewed_files (merge_request_id, user_id, id)',
  ],
};
