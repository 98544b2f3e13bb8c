import type { Generated, Selectable } from 'kysely';

/** As in the API: `fresh` has commits on top of what is in front of it, `skip_merged` was merged past the train. */
export type CarStatus = 'idle' | 'fresh' | 'merged' | 'skip_merged';

/** Merge requests on the train of their target branch, ordered by ID. */
export interface MergeTrainCarsTable {
  id: Generated<number>;
  project_id: number;
  target_branch: string;
  merge_request_id: number;
  /** The user who added and merges it; null once deleted. */
  user_id: number | null;
  status: Generated<CarStatus>;
  /** The head that is merged. */
  head_sha: string;
  /** What its commits are based on: the tip of the target, or of the car in front. */
  base_sha: Generated<string | null>;
  /** The tip that the target will have, which its pipeline runs on. */
  train_sha: Generated<string | null>;
  /** The prepared commits, as JSON. */
  prepared: Generated<string | null>;
  /** The tip of the target instead of `base_sha`, after a merge past the train. */
  overtaken_sha: Generated<string | null>;
  pipeline_id: Generated<number | null>;
  created_at: number;
  updated_at: number;
  /** Null while it is on the train. */
  merged_at: Generated<number | null>;
}

export type CarRow = Selectable<MergeTrainCarsTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    merge_train_cars: MergeTrainCarsTable;
  }
}
