import type { Migration } from '../platform/database/migrator.ts';
import { labelPairsSchema } from './label-pairs-schema.ts';

/**
 * The issues that have both of any two labels: finding them among the issues of either label took time proportional to
 * their number, and most when no issue had both.
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
