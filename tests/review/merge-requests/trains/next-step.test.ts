import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CarFacts, nextStep } from '../../../../src/review/merge-requests/trains/next-step.ts';

type Facts = Partial<Omit<CarFacts, 'car'>> & Partial<CarFacts['car']>;

const step = ({ front = 'a', isFirst = true, pipeline, ...car }: Facts) =>
  nextStep({
    car: { base_sha: 'a', train_sha: 't', overtaken_sha: null, pipeline_id: 1, ...car },
    front,
    isFirst,
    pipeline,
  });

const cases: readonly (readonly [Facts, ReturnType<typeof nextStep>])[] = [
  [{ base_sha: null, train_sha: null, pipeline_id: null }, { step: 'couple' }],
  [{ front: 'b', pipeline: 'running' }, { step: 'couple' }],
  // A failure on top of another tip is tried again.
  [{ front: 'b', pipeline: 'failed' }, { step: 'couple' }],
  [{ front: 'b', pipeline: 'success' }, { step: 'couple' }],
  [{ pipeline_id: null }, { step: 'start pipeline' }],
  // The pipeline was deleted.
  [{ pipeline: undefined }, { step: 'start pipeline' }],
  ...['created', 'pending', 'running', 'manual', 'preparing', 'waiting_for_resource', 'scheduled'].map(
    (pipeline) => [{ pipeline }, { step: 'wait' }] as const,
  ),
  ...['failed', 'canceled', 'canceling', 'skipped'].map(
    (pipeline) => [{ pipeline }, { step: 'drop', reason: 'the pipeline did not succeed' }] as const,
  ),
  [{ pipeline: 'success' }, { step: 'land', anew: false }],
  [{ pipeline: 'success', isFirst: false }, { step: 'wait' }],
  [
    { pipeline: 'failed', isFirst: false },
    { step: 'drop', reason: 'the pipeline did not succeed' },
  ],
  [
    { pipeline: 'success', front: 's', overtaken_sha: 's' },
    { step: 'land', anew: true },
  ],
  [{ pipeline: 'running', front: 's', overtaken_sha: 's' }, { step: 'wait' }],
  [{ pipeline: 'success', front: 'b', overtaken_sha: 's' }, { step: 'couple' }],
  // Behind other cars, those in front matter.
  [{ pipeline: 'success', front: 's', overtaken_sha: 's', isFirst: false }, { step: 'couple' }],
];

describe('next step of a merge train car', () => {
  for (const [facts, expected] of cases) {
    it(`${JSON.stringify(facts)}: ${expected.step}`, () => assert.deepEqual(step(facts), expected));
  }
});
