import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { mayReadPipelines, pipelinesById, presentBasic } from '../../../ci/pipelines/public.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { checkSha } from '../check-sha.ts';
import { mayMerge } from '../detail.ts';
import { setAutoMerge } from '../merge/auto-merge.ts';
import { hasToWait, mergeabilityOf, requireForMerge } from '../merge/service.ts';
import { cannotAutoMerge } from '../mergeability/status.ts';
import { presentSimple } from '../present.ts';
import { requireRequest } from '../service.ts';
import { requestsById } from '../store.ts';
import { withCurrentMergeability } from '../versions/refresh.ts';
import { carList } from './list.ts';
import type { BoardingParams, CarEntity, TrainParams } from './schema.ts';
import { carsOf, lastCarOf } from './store.ts';
import type { CarRow } from './tables.ts';

async function present(services: Services, subject: ProjectSubject, cars: readonly CarRow[]): Promise<CarEntity[]> {
  const { read } = services.db;
  const shown = mayReadPipelines(subject) ? cars.flatMap(({ pipeline_id }) => pipeline_id ?? []) : [];
  const [requests, users, pipelines] = await Promise.all([
    requestsById(
      read,
      cars.map(({ merge_request_id }) => merge_request_id),
    ).then((rows) => presentSimple(services, [...rows.values()])),
    basicUsers(
      read,
      cars.flatMap(({ user_id }) => user_id ?? []),
      services.externalUrl,
    ),
    pipelinesById(read, shown),
  ]);
  const url = `${services.externalUrl}/${subject.fullPath}`;
  return cars.flatMap((car) => {
    const request = requests.find(({ id }) => id === car.merge_request_id);
    const pipeline = pipelines.find(({ id }) => id === car.pipeline_id);
    if (!request) return [];
    return {
      id: car.id,
      merge_request: request,
      user: (car.user_id === null ? undefined : users.get(car.user_id)) ?? null,
      pipeline: pipeline ? presentBasic(pipeline, url) : null,
      created_at: instant(car.created_at),
      updated_at: instant(car.updated_at),
      target_branch: car.target_branch,
      status: car.status,
      merged_at: instantOrNull(car.merged_at),
      duration: car.merged_at === null ? null : Math.round((car.merged_at - car.created_at) / 1000),
    };
  });
}

/** Lists current and past cars of a project's trains, optionally of one branch. */
export async function listCars(
  services: Services,
  subject: ProjectSubject,
  { scope, target_branch, sort }: TrainParams,
  page: PageRequest,
): Promise<Page<CarEntity>> {
  const order = { by: 'id', direction: sort } as const;
  const place = { project: subject.project.id };
  const { rows, total } = await carList.page(services.db.read, place, { scope, target_branch }, order, page);
  return new Page(await present(services, subject, rows), total);
}

export async function getCar(services: Services, subject: ProjectSubject, iid: number): Promise<CarEntity> {
  const { request } = await requireRequest(services, subject, iid);
  const car = await lastCarOf(services.db.read, request.id);
  const [entity] = car ? await present(services, subject, [car]) : [];
  if (!entity) throw NotFound.record();
  return entity;
}

const maxShown = 100;

/** Adds a merge request to the train of its target branch, now or as soon as its checks pass. */
export async function addToTrain(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: BoardingParams,
): Promise<{ readonly cars: CarEntity[]; readonly isOn: boolean }> {
  const found = await requireForMerge(services, subject, params.merge_request_iid);
  if (!(await mayMerge(services, caller, subject, found.request.target_branch))) throw new Forbidden();
  const request = await withCurrentMergeability(services, found.request);
  const seen = await mergeabilityOf(services, request);
  if (!seen.settings.trains) throw NotFound.record();
  checkSha(params.sha, request);
  const waiting = await hasToWait(services, request, seen);
  const later = params.auto_merge ?? params.when_pipeline_succeeds ?? false;
  if (waiting && (!later || cannotAutoMerge(seen.facts))) throw BadRequest.plain('Failed to merge');
  const how = params.squash === undefined ? {} : { squash: params.squash };
  await setAutoMerge(services, caller, request, how, waiting ? 'merge' : 'train');
  const cars = await carsOf(services.db.read, request.project_id, request.target_branch, maxShown);
  return { cars: await present(services, subject, cars), isOn: !waiting };
}
