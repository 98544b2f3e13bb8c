import type { Migration } from '../platform/database/migrator.ts';

/** The position of notes on lines that a later push changed. */
export const outdatedNotes: Migration = {
  name: '0201-outdated-notes',
  up: () => ['alter table notes add column change_position text'],
};
