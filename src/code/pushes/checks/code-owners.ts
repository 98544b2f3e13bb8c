import type { Services } from '../../../access/services.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { codeOwnersAt, ownedBetween } from '../../code-owners/public.ts';
import type { BranchAccess } from '../../protected-refs/public.ts';
import { PushRefused, type PushRequest } from '../push.ts';
import { readRef } from '../ref-kind.ts';

const mostNamed = 10;

/** Where a branch asks its code owners, what they own is changed by merge requests alone. */
export async function checkCodeOwners(
  services: Services,
  { changes }: PushRequest,
  repo: Repository,
  access: Pick<BranchAccess, 'asksCodeOwners'>,
): Promise<void> {
  const objects = services.git.objects(repo);
  for (const { ref, old, new: now } of changes) {
    const { kind, name } = readRef(ref);
    if (kind !== 'branch' || old === null || now === null || !access.asksCodeOwners(name)) continue;
    const file = await codeOwnersAt(objects, old);
    const owned = file ? await ownedBetween(objects, file, old, now) : [];
    if (owned.length === 0) continue;
    const patterns = owned.slice(0, mostNamed).map(({ pattern }) => `- ${pattern}`);
    throw new PushRefused(
      `Files that have code owners are changed on '${name}' by merge requests only. Patterns of CODEOWNERS that match:\n` +
        patterns.join('\n'),
    );
  }
}
