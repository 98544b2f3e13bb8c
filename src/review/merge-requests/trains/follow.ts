import type { Services } from '../../../access/services.ts';
import { cancelJobs } from '../../../ci/jobs/public.ts';
import { type PipelineRow, pipelinesById } from '../../../ci/pipelines/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { parseMergeResult } from '../merge/stored-result.ts';
import { autoMergeOnTrain } from '../merge/without-auto-merge.ts';
import { runsOnTrain } from '../pipelines/store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { removeCar } from './cars.ts';
import { enqueueTrain } from './queue.ts';
import { carOf, carsOf, changeCar, insertCar } from './store.ts';

interface Changed {
  readonly action: string;
  readonly actorId: number;
  readonly before?: { readonly request: MergeRequestRow };
  readonly after: { readonly request: MergeRequestRow };
}

/** Updates the train after a change of a merge request on it. */
export async function followOnTrain(
  services: Services,
  trx: Writer,
  { action, actorId, before, after: { request } }: Changed,
): Promise<void> {
  if (action === 'merge') await leaveMerged(services, trx, before?.request, request, actorId);
  else if (before?.request.auto_merge === autoMergeOnTrain && request.auto_merge !== autoMergeOnTrain) {
    await removeCar(services, trx, request.id);
  } else if (request.auto_merge === autoMergeOnTrain) await enqueueTrain(services, trx, request);
}

/** Updates the train after a merge, of a car or past the train. */
async function leaveMerged(
  services: Services,
  trx: Writer,
  before: MergeRequestRow | undefined,
  request: MergeRequestRow,
  userId: number,
): Promise<void> {
  const landing = parseMergeResult(before?.landing ?? null);
  const isOn = before?.auto_merge === autoMergeOnTrain;
  if (!isOn && !landing?.trainGoesOn) return;
  const car = isOn ? await carOf(trx, request.id) : undefined;
  const now = Date.now();
  if (car) await changeCar(trx, car, { status: 'merged', merged_at: now });
  // It was merged immediately, so the result of its pipeline is not needed any more.
  const [pipeline] = await pipelinesById(trx, car?.pipeline_id == null ? [] : [car.pipeline_id]);
  if (pipeline && pipeline.status !== 'success') await cancelJobs(services, trx, pipeline.id);
  const passed = car ? car.train_sha : landing?.onto;
  const [first] = await carsOf(trx, request.project_id, request.target_branch, 1);
  if (landing?.trainGoesOn && first) {
    if (!car) {
      await insertCar(trx, {
        project_id: request.project_id,
        target_branch: request.target_branch,
        merge_request_id: request.id,
        user_id: userId,
        status: 'skip_merged',
        head_sha: request.head_sha ?? '',
        created_at: now,
        updated_at: now,
        merged_at: now,
      });
    }
    const sawIt = passed != null && (first.base_sha === passed || first.overtaken_sha === passed);
    if (sawIt) await changeCar(trx, first, { overtaken_sha: request.landed_sha });
  }
  if (first) await enqueueTrain(services, trx, first);
}

/** Advances the train after the target branch has moved. */
export async function followTarget(services: Services, projectId: number, branch: string): Promise<void> {
  const [first] = await carsOf(services.db.read, projectId, branch, 1);
  if (first) await services.db.write((trx) => enqueueTrain(services, trx, first));
}

/** Advances the train when the pipeline of a car changes its status or is deleted. */
export async function followTrainPipeline(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  if (!runsOnTrain(pipeline) || pipeline.merge_request_id === null || pipeline.parent_id !== null) return;
  const car = await carOf(trx, pipeline.merge_request_id);
  if (car?.pipeline_id === pipeline.id) await enqueueTrain(services, trx, car);
}
