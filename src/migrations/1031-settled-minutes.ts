import type { Migration } from '../platform/database/migrator.ts';

/** Marks past months whose usage was deducted from the additional minutes. */
export const settledMinutes: Migration = {
  name: '1031-settled-minutes',
  up: () => [
    'alter table runner_minutes add column settled integer not null default 0',
    'create index runner_minutes_unsettled on runner_minutes (month, namespace_id) where settled = 0',
  ],
};
