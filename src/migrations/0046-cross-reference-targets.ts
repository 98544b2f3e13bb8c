import type { Migration } from '../platform/database/migrator.ts';

/** Index by target, to find the merge requests that mention an issue. */
export const crossReferenceTargets: Migration = {
  name: '0046-cross-reference-targets',
  up: () => [
    'create index cross_references_target on cross_references (target_type, target_id, source_type, source_id)',
  ],
};
