import type { CarRow } from './tables.ts';

/** State of a car that may stay on its train. */
export interface CarFacts {
  readonly car: Pick<CarRow, 'base_sha' | 'train_sha' | 'overtaken_sha' | 'pipeline_id'>;
  /** The tip in front of it: of the car in front, or else of the target. */
  readonly front: string;
  readonly isFirst: boolean;
  /** Status of its pipeline, if it exists. */
  readonly pipeline: string | undefined;
}

export type Step =
  | { readonly step: 'drop'; readonly reason: string }
  /** Write its commits on top of the tip in front of it. */
  | { readonly step: 'couple' }
  | { readonly step: 'start pipeline' }
  | { readonly step: 'wait' }
  /** `anew`: the commits have to be rewritten, because a merge past the train is in front of it. */
  | { readonly step: 'land'; readonly anew: boolean };

const failed: ReadonlySet<string> = new Set(['failed', 'canceled', 'canceling', 'skipped']);

/** The next step for a car. */
export function nextStep({ car, front, isFirst, pipeline }: CarFacts): Step {
  const overtaken = isFirst && car.overtaken_sha === front;
  // A failure on top of a different tip is not conclusive.
  if (car.train_sha === null || (car.base_sha !== front && !overtaken)) return { step: 'couple' };
  if (car.pipeline_id === null || pipeline === undefined) return { step: 'start pipeline' };
  if (failed.has(pipeline)) return { step: 'drop', reason: 'the pipeline did not succeed' };
  return isFirst && pipeline === 'success' ? { step: 'land', anew: overtaken } : { step: 'wait' };
}
