import type { Services } from '../../access/services.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import type { CommitEntity } from '../commits/public.ts';
import { presentCommit } from '../commits/public.ts';
import { type ProjectCall, projectUrl, repositoryOf, resolveCommit } from '../repository/public.ts';
import { commonAncestor } from './compare.ts';

/** The commit at which the histories of refs part. */
export async function getMergeBase(
  services: Services,
  call: ProjectCall,
  refs: readonly string[],
): Promise<CommitEntity> {
  const { subject } = call;
  if (refs.length < 2) throw BadRequest.plain('Provide at least 2 refs');
  const commits = await Promise.all(refs.map((ref) => resolveCommit(services, subject, ref)));
  const unknown = refs.filter((_ref, i) => commits[i] === null);
  if (unknown.length > 0) {
    throw BadRequest.plain(`Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`);
  }
  const ids = [...new Set(commits.flatMap((commit) => commit?.oid ?? []))];
  const objects = services.git.objects(repositoryOf(services, subject));
  const id = ids.length === 1 ? ids[0] : await commonAncestor(services, call, objects, ids);
  const commit = id === undefined ? null : await objects.commit(id);
  if (!commit) throw new NotFound('Merge Base');
  return presentCommit(commit, projectUrl(services, subject));
}
