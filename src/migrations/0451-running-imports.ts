import type { Migration } from '../platform/database/migrator.ts';

/** Finds the imports that nobody works on any more among the few that have not ended. */
export const runningImports: Migration = {
  name: '0451-running-imports',
  up: () => [
    'create index project_imports_running on project_imports (progress_at) where encrypted_data is not null',
    'create index gist_imports_running on gist_imports (started_at) where encrypted_data is not null',
  ],
};
