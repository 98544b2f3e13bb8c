import type { Migration } from '../platform/database/migrator.ts';

const mark = "(case when draft = 1 or substr(lower(title), 1, 8) = 'draft - ' then 1 else 0 end)";

/**
 * PostgreSQL counts drafts and non-drafts from an index alone only if the index contains nothing else: for an
 * expression it reads the rows again. The expression index is kept, because its statistics tell how many drafts there
 * are.
 */
export const draftLists: Migration = {
  name: '0500-draft-lists',
  up: ({ engine }) =>
    engine === 'sqlite'
      ? []
      : Object.entries({ drafts_only: 1, ready_only: 0 }).map(
          ([name, is]) => `create index merge_requests_${name} on merge_requests (project_id, state, created_at, id)
            where ${mark} = ${is}`,
        ),
};
