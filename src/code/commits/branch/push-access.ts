import type { Services } from '../../../access/services.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { branchAccess } from '../../protected-refs/public.ts';
import type { Committing } from '../files/service.ts';

/** The words for those who may not push to a branch. */
export const noPushText = 'You are not allowed to push into this branch';

/** Whether the caller may push to a branch, by their role and by the rules that guard it. */
export async function mayPush(services: Services, { caller, subject }: Committing, branch: string): Promise<boolean> {
  if (!subject.can('push_code')) return false;
  return (await branchAccess(services.db.read, caller, subject)).canPush(branch);
}

/** 403 unless the caller may push to the branch. */
export async function requirePush(services: Services, committing: Committing, branch: string): Promise<void> {
  if (!(await mayPush(services, committing, branch))) throw new Forbidden(noPushText);
}
