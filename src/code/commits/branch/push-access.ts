import type { Services } from '../../../access/services.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { branchAccess, sharedBranches } from '../../protected-refs/public.ts';
import type { CommitCall } from '../files/service.ts';

/** Error message when the caller may not push to a branch. */
export const pushForbiddenMessage = 'You are not allowed to push into this branch';

/** Whether the role of the caller and the protection rules allow a push to a branch. */
export async function mayPush(services: Services, { caller, subject }: CommitCall, branch: string): Promise<boolean> {
  const access = await branchAccess(services.db.read, caller, subject);
  if (subject.can('push_code')) return access.canPush(branch);
  return !access.isProtected(branch) && (await sharedBranches(services, caller, subject)).has(branch);
}

/** Throws 403 unless the caller may push to the branch. */
export async function requirePush(services: Services, committing: CommitCall, branch: string): Promise<void> {
  if (!(await mayPush(services, committing, branch))) throw new Forbidden(pushForbiddenMessage);
}
