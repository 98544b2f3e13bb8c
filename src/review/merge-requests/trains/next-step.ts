import type { CarRow } from './tables.ts';

/** What is known of a car that may stay on its train, when its turn comes. */
export interface CarFacts {
  readonly car: Pick<CarRow, 'base_sha' | 'train_sha' | 'overtaken_sha' | 'pipeline_id'>;
  /** The tip of what is in front of it: of the target, if nothing is. */
  readonly front: string;
  readonly isFirst: boolean;
  /** Of its pipeline, if that is there. */
  readonly pipeline: string | undefined;
}

export type Step =
  | { readonly step: 'drop'; readonly reason: string }
  /** Its commits are to be made on top of what is in front of it. */
  | { readonly step: 'couple' }
  | { readonly step: 'start pipeline' }
  | { readonly step: 'wait' }
  /** `anew`: its commits are made anew, since what was merged past the train is in front of it. */
  | { readonly step: 'land'; readonly anew: boolean };

const failed: ReadonlySet<string> = new Set(['failed', 'canceled', 'canceling', 'skipped']);

/** What is to be done with a car now. */
export function nextStep({ car, front, isFirst, pipeline }: CarFacts): Step {
  const overtaken = isFirst && car.overtaken_sha === front;
  // What has failed on top of something else says nothing of this.
  if (car.train_sha === null || (car.base_sha !== front && !overtaken)) return { step: 'couple' };
  if (car.pipeline_id === null || pipeline === undefined) return { step: 'start pipeline' };
  if (failed.has(pipeline)) return { step: 'drop', reason: 'the pipeline did not succeed' };
  return isFirst && pipeline === 'success' ? { step: 'land', anew: overtaken } : { step: 'wait' };
}
