import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { writeMergeRef } from '../mergeability/check.ts';
import { withCurrentMergeability } from '../versions/refresh.ts';
import { requireForMerge } from './service.ts';

/** Returns the commit that merging would produce now. */
export async function getMergeRef(
  services: Services,
  subject: ProjectSubject,
  iid: number,
): Promise<{ commit_id: string }> {
  const found = await requireForMerge(services, subject, iid);
  if (found.request.state !== 'opened') throw BadRequest.plain('Merge request is not mergeable');
  const request = await withCurrentMergeability(services, found.request);
  const { head_sha: head, checked_target_sha: target } = request;
  if (request.merge_status !== 'can_be_merged' || head === null || target === null) {
    throw BadRequest.plain('Merge request is not mergeable');
  }
  const commit = await writeMergeRef(services, request, head, target);
  if (commit === undefined) throw BadRequest.plain('Merge ref cannot be updated');
  return { commit_id: commit };
}
