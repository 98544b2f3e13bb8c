import type { Services } from '../../../access/services.ts';
import { cancelJobs } from '../../../ci/jobs/public.ts';
import { addTodo } from '../../../planning/todos/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { RunAgain } from '../../../platform/queue/job.ts';
import { recordNotes, requestTarget } from '../changes/records.ts';
import { autoMergeParamsOf } from '../merge/auto-merge.ts';
import { MergeRefused, prepareMerge } from '../merge/commits.ts';
import { performMerge } from '../merge/perform.ts';
import { removesSource } from '../merge/service.ts';
import { autoMergeOnTrain, autoMergeResetColumns } from '../merge/without-auto-merge.ts';
import { setRefs, trainRef } from '../mergeability/check.ts';
import { startOn } from '../pipelines/service.ts';
import { updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import { tipOf } from '../versions/collect.ts';
import { type Boarded, loadCar, refusals } from './car-facts.ts';
import { removeCar } from './cars.ts';
import { nextStep } from './next-step.ts';
import { readPrepared } from './prepared.ts';
import { carOf, carsOf, changeCar } from './store.ts';
import type { CarRow } from './tables.ts';

/** Maximum number of cars with concurrent pipelines; those behind wait. */
const maxRunning = 20;
/** The car has been changed concurrently. */
const overtaken = () => new RunAgain(50);
/** Delay after pipeline creation was rate-limited. */
const rateLimitDelayMs = 30_000;

/**
 * Advances a train: each car gets commits on top of those of the car in front and a pipeline on them; the first car is
 * merged, with exactly those commits, when its pipeline has succeeded. Can be called at any time and concurrently: each
 * step leaves a consistent state to continue from, and of two concurrent identical steps only one takes effect.
 */
export async function driveTrain(
  services: Services,
  { projectId, branch }: { projectId: number; branch: string },
  signal: AbortSignal,
): Promise<void> {
  let front = await tipOf(services, projectId, branch);
  let isFirst = true;
  for (const car of await carsOf(services.db.read, projectId, branch, maxRunning)) {
    signal.throwIfAborted();
    const tip = await driveCar(services, car, front, isFirst);
    if (tip === 'removed') continue;
    // The merge enqueues another run for the cars behind.
    if (tip === 'merged') return;
    front = tip;
    isFirst = false;
  }
}

/** Processes one car. Returns the tip for the car behind it, or how the car has left the train. */
async function driveCar(
  services: Services,
  car: CarRow,
  front: string | null,
  isFirst: boolean,
): Promise<string | 'removed' | 'merged'> {
  const on = await loadCar(services, car);
  if ('refusal' in on || front === null) {
    return dropCar(services, car, 'refusal' in on ? on.refusal : refusals.targetGone);
  }
  const next = nextStep({ car, front, isFirst, pipeline: on.pipeline });
  switch (next.step) {
    case 'drop':
      return dropCar(services, car, next.reason);
    case 'couple': {
      const coupled = await writeCarCommits(services, car, on, front);
      return coupled === undefined ? dropCar(services, car, refusals.conflict) : startPipeline(services, coupled, on);
    }
    case 'start pipeline':
      return startPipeline(services, car, on);
    case 'land':
      return mergeCar(services, car, on, front, next.anew);
    case 'wait':
      return car.train_sha ?? front;
  }
}

/** Writes the commits of a car on top of the given tip; undefined if they conflict. */
async function writeCarCommits(
  services: Services,
  car: CarRow,
  on: Boarded,
  front: string,
): Promise<CarRow | undefined> {
  const { merger, subject, request, settings } = on;
  const asked = autoMergeParamsOf(request);
  const messages = { merge: asked?.merge, squash: asked?.squash };
  const prepared = await prepareMerge(services, merger, subject, request, front, settings, messages, {
    rebases: true,
  }).catch((error: unknown) => {
    if (error instanceof MergeRefused) return undefined;
    throw error;
  });
  if (!prepared) return undefined;
  const coupled = await services.db.write(async (trx) => {
    if (car.pipeline_id !== null) await cancelJobs(services, trx, car.pipeline_id);
    return changeCar(trx, car, {
      status: 'fresh',
      base_sha: front,
      train_sha: prepared.tip,
      prepared: JSON.stringify(prepared),
      overtaken_sha: null,
      pipeline_id: null,
    });
  });
  if (!coupled) throw overtaken();
  fault('train.coupled');
  return coupled;
}

async function startPipeline(services: Services, car: CarRow, on: Boarded): Promise<string | 'removed'> {
  const { merger, subject, request } = on;
  const { train_sha: sha, base_sha: target, head_sha: source } = car;
  if (sha === null || target === null) throw new Error(`car ${car.id} has no commits to run on`);
  const ref = trainRef(request);
  await setRefs(services, services.git.repository(request.project_id), [{ ref, new: sha }]);
  const commit = { sha, runsOn: { ref, merges: { source, target } } };
  const created = await startOn(services, merger, request, subject, commit, async (trx, pipeline) => {
    if (!(await changeCar(trx, car, { pipeline_id: pipeline.id }))) throw overtaken();
  });
  fault('train.pipeline');
  if (!created) throw new Error(`commit ${sha} of car ${car.id} does not exist`);
  if (!('refused' in created)) return sha;
  if (created.reason === 'throttled') throw new RunAgain(rateLimitDelayMs);
  return dropCar(services, car, refusals.noPipeline(created.refused));
}

async function mergeCar(
  services: Services,
  car: CarRow,
  on: Boarded,
  target: string,
  anew: boolean,
): Promise<'removed' | 'merged'> {
  const { merger, subject, request, settings } = on;
  const asked = autoMergeParamsOf(request);
  const prepared = anew ? undefined : readPrepared(car.prepared);
  const outcome = await performMerge(services, request, {
    merger,
    subject,
    settings,
    messages: { merge: asked?.merge, squash: asked?.squash },
    removeSource: removesSource(request),
    tested: { target, ...(prepared && { prepared }) },
    trainGoesOn: anew,
  });
  if (outcome === 'changed') throw overtaken();
  return outcome === 'merged' ? 'merged' : dropCar(services, car, refusals.notMergeable);
}

/** Removes a car that has to leave the train and notifies the users concerned. */
async function dropCar(services: Services, car: CarRow, reason: string): Promise<'removed'> {
  const { merge_request_id: id, user_id } = car;
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    const now = await carOf(trx, id);
    if (now?.id !== car.id) return;
    const isOther = now.train_sha !== car.train_sha || now.pipeline_id !== car.pipeline_id;
    if (isOther || locked?.state === 'locked') throw overtaken();
    await removeCar(services, trx, id);
    if (locked?.auto_merge !== autoMergeOnTrain) return;
    const left = await updateRequest(trx, id, { ...autoMergeResetColumns(locked), updated_at: Date.now() });
    const authorId = user_id ?? locked.author_id;
    await recordNotes(trx, left, authorId, [texts.trainLeft(reason)]);
    for (const userId of new Set([locked.author_id, authorId])) {
      await addTodo(trx, { userId, authorId, target: requestTarget(left), action: 'merge_train_removed' });
    }
  });
  return 'removed';
}
