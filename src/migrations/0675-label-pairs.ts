import type { Migration } from '../platform/database/migrator.ts';
import { labelPairsSchema } from './label-pairs-schema.ts';

/**
 * Which issues have two labels, for every two. To find those that many issues of either have took the longer the more these
 * were, and longest where no issue had both.
 */
export const labelPairs: Migration = {
  name: '0675-label-pairs',
  up: (dialect) =>
    labelPairsSchema(dialect, {
      things: 'issues',
      labels: 'issue_labels',
      thing: 'issue_id',
      copies: { confidential: 'integer', state: 'text' },
      pairs: 'derived_label_pairs',
      unpaired: 'derived_unpaired_labels',
    }),
};
