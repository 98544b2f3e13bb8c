import type { Migration } from '../platform/database/migrator.ts';

/** Whether users were notified of a failing mirror: once, until it works again. */
export const mirrorLetters: Migration = {
  name: '0332-mirror-letters',
  up: () => ['alter table remote_mirrors add column failure_told integer not null default 0'],
};
