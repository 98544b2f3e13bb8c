import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { presentDetail } from './detail.ts';
import type { DetailEntity, SingleViewParams } from './schema.ts';
import { requireRequest } from './service.ts';

export async function getMergeRequest(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  params: SingleViewParams,
): Promise<DetailEntity> {
  const state = await requireRequest(services, subject, params.merge_request_iid);
  return presentDetail(services, caller, subject, state, { ...params, firstContribution: true });
}
