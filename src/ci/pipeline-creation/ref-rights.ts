import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { branchAccess, tagAccess } from '../../code/protected-refs/public.ts';

/** Whether a ref is protected, and whether somebody may run jobs on it: jobs get at what only the ref's own people may see. */
export async function refRights(
  { db }: Services,
  actor: Actor,
  subject: ProjectSubject,
  kind: 'branch' | 'tag',
  ref: string,
): Promise<{ readonly protected: boolean; readonly mayRun: boolean }> {
  if (kind === 'tag') {
    const tags = await tagAccess(db.read, actor, subject);
    const guarded = tags.isProtected(ref);
    return { protected: guarded, mayRun: !guarded || tags.canCreate(ref) };
  }
  const branches = await branchAccess(db.read, actor, subject);
  const guarded = branches.isProtected(ref);
  return { protected: guarded, mayRun: !guarded || branches.canPush(ref) || branches.canMerge(ref) };
}
