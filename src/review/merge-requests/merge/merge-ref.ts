import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { mergeRef } from '../mergeability/check.ts';
import { requireRequest } from '../service.ts';
import { renewVersion } from '../versions/renew.ts';
import { requireForMerge } from './service.ts';

/** The commit that merging would make now. */
export async function getMergeRef(
  services: Services,
  subject: ProjectSubject,
  iid: number,
): Promise<{ commit_id: string }> {
  const found = await requireForMerge(services, subject, iid);
  if (found.request.state !== 'opened') throw BadRequest.plain('Merge request is not mergeable');
  await renewVersion(services, found.request.id);
  const { request } = await requireRequest(services, subject, iid);
  if (request.merge_status !== 'can_be_merged') throw BadRequest.plain('Merge request is not mergeable');
  const commit = await services.git.readRef(services.git.repository(request.project_id), mergeRef(request));
  if (commit === null) throw BadRequest.plain('Merge ref cannot be updated');
  return { commit_id: commit };
}
