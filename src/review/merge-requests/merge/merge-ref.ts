import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { mergeRef, mergeRefUpdate, setRefs } from '../mergeability/check.ts';
import { withBranchesNow } from '../versions/renew.ts';
import { requireForMerge } from './service.ts';

/** The commit that merging would make now. */
export async function getMergeRef(
  services: Services,
  subject: ProjectSubject,
  iid: number,
): Promise<{ commit_id: string }> {
  const found = await requireForMerge(services, subject, iid);
  if (found.request.state !== 'opened') throw BadRequest.plain('Merge request is not mergeable');
  const request = await withBranchesNow(services, found.request);
  const { head_sha: head, checked_target_sha: target } = request;
  if (request.merge_status !== 'can_be_merged' || head === null || target === null) {
    throw BadRequest.plain('Merge request is not mergeable');
  }
  const { git } = services;
  const repo = git.repository(request.project_id);
  const writer = git.writer(repo);
  const update = await mergeRefUpdate(services, writer, request, head, target);
  await writer.flush();
  await setRefs(services, repo, update ? [update] : []);
  const commit = update?.new ?? (await git.readRef(repo, mergeRef(request)));
  if (commit === null) throw BadRequest.plain('Merge ref cannot be updated');
  return { commit_id: commit };
}
