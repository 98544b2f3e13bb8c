import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions } from '../../../planning/notes/public.ts';
import { noteableRequest } from '../noteable.ts';
import { requireRequest } from '../service.ts';
import { checkPosition } from './position.ts';

type NewThread = discussions.NewThreadParams & {
  readonly merge_request_iid: number;
  readonly position?: discussions.PositionParams;
  readonly commit_id?: string;
};

/** Creates a thread on a merge request or on a line of its diff. */
export async function beginThread(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, position, commit_id: commitId, ...params }: NewThread,
) {
  const noteable = await noteableRequest(services, caller, subject, iid);
  if (position === undefined) return discussions.createDiscussion(services, caller, noteable, params);
  const { request } = await requireRequest(services, subject, iid);
  const found = await checkPosition(services, request, position);
  const place = commitId === undefined ? found : { ...found, commitId };
  return discussions.createDiscussion(services, caller, noteable, params, place);
}
