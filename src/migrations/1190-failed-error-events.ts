import type { Migration } from '../platform/database/migrator.ts';

/** Events that could not be recorded, kept apart from the pending ones so that they do not hold those up. */
export const failedErrorEvents: Migration = {
  name: '1190-failed-error-events',
  up: () => [
    'alter table error_tracking_batches add column failed text',
    'alter table error_tracking_batches add column failures integer not null default 0',
  ],
};
