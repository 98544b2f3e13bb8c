import type { Migration } from '../platform/database/migrator.ts';

/** Checksums of job logs, compared with the one reported by the runner at the end of a job. */
export const logChecksums: Migration = {
  name: '0351-log-checksums',
  up: () => [
    'alter table ci_jobs add column trace_crc bigint not null default 0',
    'alter table ci_jobs add column trace_restarts integer not null default 0',
  ],
};
