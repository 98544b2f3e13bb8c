import type { Migration } from '../platform/database/migrator.ts';
import { labelPairsSchema } from './label-pairs-schema.ts';

/**
 * The merge requests that have both of any two labels, as for issues. The index by creation gets the state, so that
 * filtered ones are skipped without reading their rows.
 */
export const mergeRequestLabelPairs: Migration = {
  name: '0740-merge-request-label-pairs',
  up: (dialect) => [
    ...labelPairsSchema(dialect, {
      things: 'merge_requests',
      labels: 'merge_request_labels',
      thing: 'merge_request_id',
      copies: { request_state: 'text' },
      pairs: 'derived_request_label_pairs',
      unpaired: 'derived_unpaired_request_labels',
    }),
    'drop index merge_requests_project_created',
    `create index merge_requests_project_created on merge_requests
      (project_id, created_at, id, state, first_deployed_at, last_deployed_at)`,
  ],
};
