import type { Migration } from '../platform/database/migrator.ts';
import { labelPairsSchema } from './label-pairs-schema.ts';

/**
 * Which merge requests have two labels, for every two, as of issues. The index that they are walked along has their state: none
 * is looked up that is walked past for it.
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
