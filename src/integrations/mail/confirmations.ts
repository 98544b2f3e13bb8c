import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { confirmationUrl } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

async function ask(services: Services, trx: Writer, user: Pick<User, 'id' | 'username'>, email: string) {
  const message = composeEmail({
    to: email,
    subject: 'Confirm your address',
    says: [`The account @${user.username} at ${services.externalUrl} uses the address ${email}.`],
    link: { text: 'Confirm the address', url: confirmationUrl(services, user.id, email) },
    reason: 'The link is valid for three days. If the account is not yours, ignore this email.',
    id: messageId(services.externalUrl, 'confirmation', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** A new account has an unconfirmed address. */
export async function onNewUser(
  services: Services,
  trx: Writer,
  { user }: DomainEvents['user.created'],
): Promise<void> {
  if (user.kind === 'human' && user.confirmed_at === null) await ask(services, trx, user, user.email);
}

/** A user changed their address, which must be confirmed first. */
export async function onNewAddress(
  services: Services,
  trx: Writer,
  { user, changed }: DomainEvents['user.updated'],
): Promise<void> {
  if (!changed.has('unconfirmed_email') || user.unconfirmed_email === null) return;
  await ask(services, trx, user, user.unconfirmed_email);
}

export function onFurtherAddress(
  services: Services,
  trx: Writer,
  { user, email }: DomainEvents['email.added'],
): Promise<void> {
  return ask(services, trx, user, email);
}
