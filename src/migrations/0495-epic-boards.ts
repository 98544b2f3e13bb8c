import type { Migration } from '../platform/database/migrator.ts';

/** Epic boards next to issue boards. */
export const epicBoards: Migration = {
  name: '0495-epic-boards',
  up: () => ["alter table boards add column kind text not null default 'issues' check (kind in ('issues', 'epics'))"],
};
