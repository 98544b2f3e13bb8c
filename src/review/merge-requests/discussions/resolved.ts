import type { Services } from '../../../access/services.ts';
import type { Noteable } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { recordNotes } from '../changes/records.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { withOpenThreads } from '../mergeability/store.ts';
import { requestById } from '../store.ts';
import { allResolved } from '../system-texts.ts';

/** Adds a system note when the last thread is resolved, and triggers auto-merge, which may have waited for it. */
export async function followResolution(
  services: Services,
  trx: Writer,
  {
    actorId,
    noteable: { target },
    resolved,
  }: { readonly actorId: number; readonly noteable: Noteable; readonly resolved: boolean },
): Promise<void> {
  if (target.type === 'MergeRequest' && resolved) await noteAllResolved(services, trx, target.id, actorId);
}

export async function noteAllResolved(services: Services, trx: Writer, id: number, actorId: number): Promise<void> {
  const request = await requestById(trx, id);
  if (!request || (await withOpenThreads(trx, [id])).size > 0) return;
  await recordNotes(trx, request, actorId, [allResolved]);
  await enqueueAutoMerge(services, trx, request);
}
