import type { Services } from '../../../access/services.ts';
import { heedText } from '../../../planning/mentions/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { targetOf } from '../changes/records.ts';
import type { RequestState } from '../service.ts';

/** What a description mentions is noted there, and whom it mentions is told. */
export async function heedDescription(
  services: Services,
  trx: Writer,
  {
    actorId,
    before,
    after,
  }: { readonly actorId: number; readonly before?: RequestState; readonly after: RequestState },
): Promise<void> {
  const { request } = after;
  const old = before?.request.description ?? null;
  if (before && old === request.description) return;
  const thing = { noun: 'merge request', sign: '!', target: targetOf(request), iid: request.iid };
  await heedText(services, trx, { thing, actorId, text: request.description, before: old });
}
