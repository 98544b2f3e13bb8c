import type { Generated, Selectable } from 'kysely';

/** As the API names them: `fresh` has a commit on top of what is in front of it, `skip_merged` went past the train. */
export type CarStatus = 'idle' | 'fresh' | 'merged' | 'skip_merged';

/** A merge request on the train of its target branch; the one with the least number is in front. */
export interface MergeTrainCarsTable {
  id: Generated<number>;
  project_id: number;
  target_branch: string;
  merge_request_id: number;
  /** Who has put it there, and merges it; null once they are gone. */
  user_id: number | null;
  status: Generated<CarStatus>;
  /** The head that is merged. */
  head_sha: string;
  /** What its commits lie on: the tip of the target, or of the car in front. */
  base_sha: Generated<string | null>;
  /** The tip that the target will have, which its pipeline runs on. */
  train_sha: Generated<string | null>;
  /** Which commits lead there, as JSON. */
  prepared: Generated<string | null>;
  /** Where the target is instead of `base_sha`, since somebody was allowed to merge past the train. */
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
