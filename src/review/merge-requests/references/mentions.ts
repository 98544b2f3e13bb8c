import type { Services } from '../../../access/services.ts';
import { scheduleMentions } from '../../../planning/mentions/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { requestTarget } from '../changes/records.ts';
import type { RequestState } from '../service.ts';

/** Schedules cross-references and to-do items for the mentions in the title and description of a merge request. */
export async function scheduleDescriptionMentions(
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
  if (before && old === request.description && before.request.title === request.title) return;
  const thing = { noun: 'merge request', sign: '!', target: requestTarget(request), iid: request.iid };
  await scheduleMentions(services, trx, {
    thing,
    actorId,
    text: request.description,
    before: old,
    title: request.title,
    titleBefore: before?.request.title,
    changed: before !== undefined,
  });
}
