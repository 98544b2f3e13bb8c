import type { Migration } from '../platform/database/migrator.ts';

/** By what was mentioned: the merge requests that speak of an issue are looked up from there. */
export const crossReferenceTargets: Migration = {
  name: '0046-cross-reference-targets',
  up: () => [
    'create index cross_references_target on cross_references (target_type, target_id, source_type, source_id)',
  ],
};
