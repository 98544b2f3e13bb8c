import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { mayUpdate } from './access.ts';
import { presentDetail } from './detail.ts';
import type { DetailEntity, SingleViewParams } from './schema.ts';
import { type RequestState, requireRequest } from './service.ts';
import { renewVersion } from './versions/renew.ts';

export async function getMergeRequest(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  params: SingleViewParams,
): Promise<DetailEntity> {
  const found = await requireRequest(services, subject, params.merge_request_iid);
  const state = await lookedAt(services, caller, subject, found);
  return presentDetail(services, caller, subject, state, { ...params, firstContribution: true });
}

/** What a push has made doubtful is looked at when somebody reads who could change it; nobody else costs that much. */
async function lookedAt(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  state: RequestState,
): Promise<RequestState> {
  const { request, assigneeIds } = state;
  const doubtful = request.merge_status === 'unchecked' || request.merge_status === 'cannot_be_merged_recheck';
  if (!doubtful || request.state !== 'opened' || !mayUpdate(caller, subject, request, assigneeIds)) return state;
  await renewVersion(services, request.id);
  return requireRequest(services, subject, request.iid);
}
