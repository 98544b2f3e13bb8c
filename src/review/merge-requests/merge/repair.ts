import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import { lockedRequests } from '../follow/store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipsOf } from '../versions/collect.ts';
import { markMerged } from './finish.ts';
import { reopenRequest } from './reopen.ts';
import { parseMergeResult } from './stored-result.ts';

/**
 * Resolves merges that were interrupted by a server stop: marks them as merged if the target contains the commits, and
 * reopens them otherwise. Interrupted pushes are repaired first, which completes most of the former.
 */
export async function repairMerges(services: Services): Promise<void> {
  for (const request of await lockedRequests(services.db.read)) {
    const landed = await hasLanded(services, request);
    await services.db.write(async (trx) => {
      const locked = await lockRow(trx, 'merge_requests', request.id);
      if (locked?.state !== 'locked') return;
      const landing = parseMergeResult(locked.landing);
      if (landed && landing) await markMerged(services, trx, locked, landing);
      // The planned result is kept: if another process is still executing the merge, its push can complete it.
      else await reopenRequest(services, trx, locked);
    });
  }
}

async function hasLanded(services: Services, request: MergeRequestRow): Promise<boolean> {
  const { target } = await tipsOf(services, request);
  if (target === null || request.landed_sha === null) return false;
  return isAncestor(services.git.repository(request.project_id), request.landed_sha, target);
}
