import type { Services } from '../../../access/services.ts';
import { chatKind } from '../chats/kinds.ts';
import { chatRequestBody } from '../chats/posting.ts';
import { externalService } from '../external-services/kinds.ts';
import { openSecrets } from '../hooks/secrets.ts';
import type { WebhookRow } from '../tables.ts';
import type { IntegrationRequest, ReportedEvent } from './kind.ts';
import { settingsOf } from './settings.ts';

/** Returns the request with which an integration reports an event; undefined if it does not report it. */
export function integrationRequest(
  services: Services,
  hook: WebhookRow,
  event: ReportedEvent,
): IntegrationRequest | undefined {
  const slug = hook.kind ?? '';
  const settings = settingsOf(hook);
  const kind = chatKind(slug) ?? externalService(slug);
  const secret = (kind?.secret && openSecrets(services, hook, 'url_variables')[kind.secret]) ?? '';
  const chat = chatKind(slug);
  if (!chat) return externalService(slug)?.request?.(event, settings, secret);
  const body = chatRequestBody(chat, settings, event.trigger, event.payload);
  return body && { body, ...chat.sending?.(settings, secret, event.idempotencyKey) };
}
