import type { Migration } from '../platform/database/migrator.ts';

/** What the log of a job must add up to when its runner says that it is over. */
export const logChecksums: Migration = {
  name: '0351-log-checksums',
  up: () => [
    'alter table ci_jobs add column trace_crc bigint not null default 0',
    'alter table ci_jobs add column trace_restarts integer not null default 0',
  ],
};
