import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { HttpError, NotFound, ParameterError, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedStringMap } from '../../../platform/stored-json.ts';
import type { HookOwner } from '../hooks/owner.ts';
import { requireHook } from '../hooks/service.ts';
import type { DeliveryRow } from '../tables.ts';
import { deliverNow, retentionMs } from './deliver.ts';
import type { WebhookEventEntity } from './schema.ts';
import { findDelivery, listDeliveries, type StatusRange } from './store.ts';

function present(row: DeliveryRow): WebhookEventEntity {
  return {
    id: row.id,
    url: row.url,
    trigger: row.trigger_name,
    request_headers: storedStringMap(row.request_headers),
    request_data: JSON.parse(row.request_data) as unknown,
    response_headers: storedStringMap(row.response_headers),
    response_body: row.response_body,
    execution_duration: row.execution_ms / 1000,
    response_status: row.response_status === null ? 'internal error' : `${row.response_status}`,
    created_at: instant(row.created_at),
  };
}

const named: Readonly<Record<string, readonly StatusRange[]>> = {
  successful: [[200, 299]],
  client_failure: [[400, 499]],
  server_failure: [[500, 599], null],
};

/** Parses the `status` filter into ranges. */
export function readStatuses(sent: readonly string[] | undefined): readonly StatusRange[] | undefined {
  if (!sent || sent.length === 0) return undefined;
  return sent.flatMap((text): readonly StatusRange[] => {
    const word = text.trim();
    const ranges = Object.hasOwn(named, word) ? named[word] : undefined;
    if (ranges) return ranges;
    if (!/^[1-5]\d\d$/.test(word)) throw new ParameterError('status does not have a valid value');
    return [[Number(word), Number(word)]];
  });
}

/** Rate-limits deliveries that a user triggers directly, to prevent abuse of webhooks for flooding. */
export async function countSent(
  { limits }: Services,
  caller: SignedInActor,
  hookId: number,
  kind: 'web_hook_test' | 'web_hook_event_resend',
): Promise<void> {
  await limits.spend(kind, `user ${caller.user.id} ${hookId}`, { count: 5, period: 60_000 });
}

const maxOnPage = 20;

/** Lists recent deliveries of a webhook, newest first. */
export async function listEvents(
  services: Services,
  owner: HookOwner,
  { hook_id, status }: { readonly hook_id: number; readonly status?: readonly string[] },
  page: PageRequest,
): Promise<Page<WebhookEventEntity>> {
  const hook = await requireHook(services, owner, hook_id);
  if (page.perPage > maxOnPage) throw new ParameterError('per_page does not have a valid value');
  const since = Date.now() - retentionMs;
  const { rows, total } = await listDeliveries(services.db.read, hook.id, since, readStatuses(status), page);
  return new Page(rows, total).map(present);
}

/** Resends a logged delivery. */
export async function resendEvent(
  services: Services,
  caller: SignedInActor,
  owner: HookOwner,
  { hook_id, hook_log_id }: { readonly hook_id: number; readonly hook_log_id: number },
): Promise<{ response_status: number | string }> {
  const hook = await requireHook(services, owner, hook_id);
  const found = await findDelivery(services.db.read, hook.id, hook_log_id);
  if (!found) throw NotFound.record();
  if (found.url !== hook.url) throw new Unprocessable('The hook URL has changed. The event cannot be resent.');
  await countSent(services, caller, hook.id, 'web_hook_event_resend');
  if (found.oversize === 1) throw new Unprocessable('The event is too large to be resent.');
  // The log stores what was sent, so the template is already filled in.
  const outcome = await deliverNow(
    services,
    { ...hook, custom_webhook_template: null },
    {
      event: found.event,
      trigger: found.trigger_name,
      payload: JSON.parse(found.request_data) as unknown,
      idempotencyKey: found.idempotency_key,
    },
  );
  if (outcome.status === null) throw new HttpError(422, { message: outcome.failure });
  return { response_status: outcome.status };
}
