import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { findNamespace } from '../../../access/subject-queries.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { triggerHooks, triggerProjectHooks } from '../deliveries/trigger.ts';
import { expiringTokenPayload } from '../payloads/access-token.ts';

const name = 'resource_access_token_events';
/** Webhooks are triggered once, in the last week; e-mails are sent earlier too. */
const lastNotice = 7;

/** Triggers webhooks for an expiring project or group access token. */
export async function onExpiringToken(
  services: Services,
  trx: Writer,
  { token, days }: DomainEvents['token.expiring'],
): Promise<void> {
  const bot = days === lastNotice ? await findUser(trx, token.user_id) : undefined;
  if (bot?.bot_project_id) {
    await triggerProjectHooks(services, trx, bot.bot_project_id, name, (located) =>
      expiringTokenPayload(services, { located }, token),
    );
  } else if (bot?.bot_namespace_id) {
    const group = await findNamespace(trx, bot.bot_namespace_id);
    if (!group) return;
    await triggerHooks(services, trx, { namespaceId: group.id }, name, () =>
      expiringTokenPayload(services, { group }, token),
    );
  }
}
