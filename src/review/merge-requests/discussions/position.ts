import type { Services } from '../../../access/services.ts';
import { discussions } from '../../../planning/notes/public.ts';
import { isObjectId } from '../../../platform/git/refs/refname.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { rubyDump } from '../../../platform/http/responses/ruby-dump.ts';
import type { MergeRequestRow } from '../tables.ts';
import { differences } from '../versions/collect.ts';

/** Validates the position of a new thread against the diff of a merge request and returns it in stored form. */
export async function checkPosition(
  services: Services,
  request: Pick<MergeRequestRow, 'project_id'>,
  position: discussions.PositionParams,
): Promise<discussions.DiffPosition> {
  const { base_sha, start_sha, head_sha } = position;
  const objects = services.git.objects(services.git.repository(request.project_id));
  const ids = [base_sha, start_sha, head_sha];
  const commits = ids.every(isObjectId) ? await objects.commits(ids) : [];
  if (commits.length < ids.length || commits.includes(null)) {
    throw new BadRequest(`Note ${rubyDump({ position: ['is invalid'] })}`);
  }
  const { entries } = await differences(services, request.project_id, base_sha, head_sha, { expanded: true });
  return discussions.positionInDiff(entries, position);
}
