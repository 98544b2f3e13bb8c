import type { Services } from '../../../access/services.ts';
import { isObjectId } from '../../../platform/git/refs/refname.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { mayPush, pushForbiddenMessage } from '../branch/push-access.ts';
import { presentDetail } from '../detail.ts';
import { indexPath } from '../files/index-path.ts';
import { type CommitCall, commitFiles } from '../files/service.ts';
import type { CommitDetailEntity } from '../schema.ts';

export interface SubmoduleUpdate {
  readonly submodule: string;
  readonly branch: string;
  readonly commit_sha: string;
  readonly commit_message?: string;
}

/** Commits a new target of a submodule. */
export async function updateSubmodule(
  services: Services,
  committing: CommitCall,
  { submodule, branch, commit_sha: sha, commit_message: message }: SubmoduleUpdate,
): Promise<CommitDetailEntity> {
  if (!(await mayPush(services, committing, branch))) throw BadRequest.plain(pushForbiddenMessage);
  if (committing.subject.project.empty_repo === 1) throw BadRequest.plain('The repository is empty');
  if (!isObjectId(sha)) throw BadRequest.plain('Invalid parameters');
  const checked = indexPath(submodule);
  if ('problem' in checked) throw BadRequest.plain('Invalid submodule path');
  const made = await commitFiles(services, committing, {
    branch,
    message: message?.trim() ? message : `Update submodule ${submodule} with oid ${sha}`,
    actions: [{ action: 'submodule', path: submodule, pointsTo: sha }],
    stats: true,
  });
  return presentDetail(services, committing, made);
}
