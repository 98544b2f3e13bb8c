import type { Services } from '../../../access/services.ts';
import { cancelJobs } from '../../../ci/jobs/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { recordNotes } from '../changes/records.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { enqueueTrain } from './queue.ts';
import { carOf, deleteCar, insertCar, positionOf } from './store.ts';
import type { CarRow } from './tables.ts';

/** Appends a merge request, which the caller has locked, to the merge train of its target branch. */
export async function addCar(
  services: Services,
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
): Promise<CarRow> {
  // Serializes concurrent additions: cars are ordered by ID, and each has to see the ones in front of it.
  await acquireLock(trx, `merge train ${request.project_id} ${request.target_branch}`);
  const now = Date.now();
  const car = await insertCar(trx, {
    project_id: request.project_id,
    target_branch: request.target_branch,
    merge_request_id: request.id,
    user_id: userId,
    head_sha: request.head_sha ?? '',
    created_at: now,
    updated_at: now,
  });
  await recordNotes(trx, request, userId, [texts.trainBoarded(await positionOf(trx, car))]);
  await enqueueTrain(services, trx, car);
  return car;
}

/** Removes a merge request from its merge train, if it is on one; the cars behind it continue without it. */
export async function removeCar(services: Services, trx: Writer, requestId: number): Promise<boolean> {
  const car = await carOf(trx, requestId);
  if (!car) return false;
  await deleteCar(trx, car.id);
  if (car.pipeline_id !== null) await cancelJobs(services, trx, car.pipeline_id);
  await enqueueTrain(services, trx, car);
  return true;
}
