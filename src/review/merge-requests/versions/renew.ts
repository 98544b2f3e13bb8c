import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { type Checked, checkBranches, writeRefs } from '../mergeability/check.ts';
import { requestById, updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { collectVersion, tipsOf } from './collect.ts';
import { addVersion } from './store.ts';

export interface Renewal {
  /** Whose doing it is. */
  readonly userId: number | null;
  /** A new version though the branches are where they were: another target, or open again. */
  readonly evenIfSame?: boolean;
}

/** Takes in where the branches of an open merge request are now: a new version where the source moved, and whether they merge. */
export async function renewVersion(
  services: Services,
  id: number,
  { evenIfSame = false }: Renewal,
): Promise<{ readonly before: MergeRequestRow; readonly after: MergeRequestRow } | undefined> {
  const request = await requestById(services.db.read, id);
  if (request?.state !== 'opened') return undefined;
  const tips = await tipsOf(services, request);
  const moved = tips.source !== null && tips.source !== request.head_sha;
  const version = moved || evenIfSame ? await collectVersion(services, request, tips) : undefined;
  const checked = await checkBranches(services, request, tips);
  const after = await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    // Whoever changed it meanwhile has it looked at again.
    if (locked?.state !== 'opened' || locked.target_branch !== request.target_branch) return undefined;
    if (version) await addVersion(trx, locked, version);
    return updateRequest(trx, id, columnsOf(checked));
  });
  if (!after) return undefined;
  if (tips.source !== null && tips.target !== null) await writeRefs(services, after, tips.source, checked);
  return { before: request, after };
}

/** What is stored of a check. */
export function columnsOf({ tree, ...columns }: Checked) {
  return columns;
}
