import type { Migration } from '../platform/database/migrator.ts';

/** Indexes of unfinished imports, to find abandoned ones. */
export const runningImports: Migration = {
  name: '0451-running-imports',
  up: () => [
    'create index project_imports_running on project_imports (progress_at) where encrypted_data is not null',
    'create index gist_imports_running on gist_imports (started_at) where encrypted_data is not null',
  ],
};
