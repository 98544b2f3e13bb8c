import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { settingsOf, settingsWithAncestors } from '../../access/stored-settings.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { User } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { instant } from '../../platform/http/schema.ts';
import { composeEmail, messageId } from './compose.ts';
import { membersWithRole } from './store.ts';

/** Returns the project or group of a bot and its maintainers; undefined if e-mails are disabled there. */
async function placeOf({ settings }: Services, db: Reader, bot: User) {
  const project = bot.bot_project_id === null ? undefined : await findProject(db, bot.bot_project_id);
  const namespace = await findNamespace(db, project?.namespace_id ?? bot.bot_namespace_id);
  if (!namespace) return undefined;
  const silent = (settings: { readonly emails_enabled?: unknown }) => settings.emails_enabled === false;
  const above = await settingsWithAncestors(db, namespace.id);
  if ((project && silent(settingsOf(project))) || above.some(({ settings }) => silent(settings))) return undefined;
  const { resource_access_token_notify_inherited: inherited } = await settings.read();
  const place = {
    projectId: bot.bot_project_id,
    namespaceId: bot.bot_namespace_id,
    above: inherited ? above.map(({ id }) => id) : [],
  };
  const keepers = await membersWithRole(db, place, project ? Role.maintainer : Role.owner);
  return { name: project ? `${namespace.full_name} / ${project.name}` : namespace.full_name, keepers };
}

/** Notifies the owner of an expiring token, or the maintainers of its project or group. */
export async function onExpiringToken(
  services: Services,
  trx: Writer,
  { token, days }: DomainEvents['token.expiring'],
): Promise<void> {
  const { externalUrl, queue } = services;
  const owner = await findUser(trx, token.user_id);
  if (owner?.state !== 'active' || token.impersonation === 1 || token.expires_at === null) return;
  const place = owner.kind === 'project_bot' ? await placeOf(services, trx, owner) : undefined;
  const recipients = owner.kind === 'human' ? [owner] : (place?.keepers ?? []);
  const ends = `expires on ${instant(token.expires_at).slice(0, 10)}`;
  for (const { id, email } of recipients) {
    const message = composeEmail({
      to: email,
      subject: place
        ? `An access token of ${place.name} expires in ${days} days or less`
        : `An access token of yours expires in ${days} days or less`,
      says: [
        place
          ? `The access token "${token.name}" of ${place.name} ${ends}.`
          : `Your access token "${token.name}" ${ends}.`,
      ],
      reason: 'Whatever uses it stops working on that day, unless the token is rotated before.',
      id: messageId(externalUrl, 'expiring-token', token.id, days, id),
    });
    await queue.enqueue(trx, 'mail.send', message);
  }
}
