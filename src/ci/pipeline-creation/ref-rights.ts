import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { branchAccess, tagAccess } from '../../code/protected-refs/public.ts';

/**
 * Whether a ref is protected, and whether the actor may run jobs on it. Jobs on a protected ref can read protected
 * variables, so running them requires push or merge access.
 */
export async function refRights(
  { db }: Services,
  actor: Actor,
  subject: ProjectSubject,
  kind: 'branch' | 'tag',
  ref: string,
): Promise<{ readonly protected: boolean; readonly mayRun: boolean }> {
  if (kind === 'tag') {
    const tags = await tagAccess(db.read, actor, subject);
    const isProtected = tags.isProtected(ref);
    return { protected: isProtected, mayRun: !isProtected || tags.canCreate(ref) };
  }
  const branches = await branchAccess(db.read, actor, subject);
  const isProtected = branches.isProtected(ref);
  return { protected: isProtected, mayRun: !isProtected || branches.canPush(ref) || branches.canMerge(ref) };
}
