import type { Migration } from '../platform/database/migrator.ts';

/** Unmerged merge requests are rarely deployed: finding them required scanning everything deployed before a time. */
export const deployedUnmerged: Migration = {
  name: '0640-deployed-unmerged',
  up: () =>
    ['opened', 'closed'].flatMap((state) =>
      ['first_deployed', 'last_deployed'].map(
        (time) => `create index merge_requests_${time}_${state} on merge_requests (project_id, ${time}_at)
          where state = '${state}' and ${time}_at is not null`,
      ),
    ),
};
