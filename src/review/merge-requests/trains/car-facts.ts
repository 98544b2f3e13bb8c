import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { pipelinesById } from '../../../ci/pipelines/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { RunAgain } from '../../../platform/queue/job.ts';
import { mayMerge } from '../detail.ts';
import { autoMergeOnTrain } from '../merge/without-auto-merge.ts';
import { mergeabilities } from '../mergeability/facts.ts';
import { stateRefusal } from '../mergeability/status.ts';
import type { MergeSettings } from '../settings.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { CarRow } from './tables.ts';

/** Reasons for which a merge request is removed from its train. */
export const refusals = {
  notMergeable: 'the merge request is not mergeable',
  conflict: 'it conflicts with what is merged before it',
  disabled: 'merge trains are disabled in this project',
  notAllowed: 'the user who added it is not allowed to merge it any more',
  targetGone: 'the target branch was deleted',
  updated: 'source branch was updated',
  noPipeline: (text: string) => `no pipeline could be created for it: ${text}`,
} as const;

/** A merge request that may stay on its train, with the user who merges it. */
export interface Boarded {
  readonly merger: SignedInActor;
  readonly subject: ProjectSubject;
  readonly request: MergeRequestRow;
  readonly settings: MergeSettings;
  /** Status of the car's pipeline. */
  readonly pipeline: string | undefined;
}

/**
 * Loads the merge request of a car, or the reason for which it has to leave the train regardless of what is in front of
 * it.
 */
export async function loadCar(services: Services, car: CarRow): Promise<Boarded | { readonly refusal: string }> {
  const { read } = services.db;
  const [request, project, user, [pipeline]] = await Promise.all([
    requestById(read, car.merge_request_id),
    findProject(read, car.project_id),
    car.user_id === null ? undefined : findUser(read, car.user_id),
    pipelinesById(read, car.pipeline_id === null ? [] : [car.pipeline_id]),
  ]);
  // It is being merged; wait for the result.
  if (request?.state === 'locked') throw new RunAgain(200);
  if (!request || !project || request.auto_merge !== autoMergeOnTrain) return { refusal: refusals.notMergeable };
  if (request.head_sha !== car.head_sha || request.target_branch !== car.target_branch) {
    return { refusal: refusals.updated };
  }
  if (!user || accountRefusal(user, services.externalUrl) !== undefined) return { refusal: refusals.notAllowed };
  const merger = actorOnBehalfOf(user);
  const subject = await projectSubject(read, merger, project);
  const allowed = subject.can('create_pipeline') && (await mayMerge(services, merger, subject, request.target_branch));
  if (!allowed) return { refusal: refusals.notAllowed };
  const seen = (await mergeabilities(services, [request])).get(request.id);
  if (!seen?.settings.trains) return { refusal: refusals.disabled };
  // Its own pipeline was checked when it was added, and conflicts are determined when its commits are written.
  if (stateRefusal({ ...seen.facts, pipeline: 'passed' }) !== undefined) return { refusal: refusals.notMergeable };
  return { merger, subject, request, settings: seen.settings, pipeline: pipeline?.status };
}
