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

/** Tells the former address that the account has another one, because an attacker may have changed it. */
export async function onChangedAddress(
  services: Services,
  trx: Writer,
  { user, before, changed }: DomainEvents['user.updated'],
): Promise<void> {
  if (!changed.has('email') || user.kind !== 'human' || before.confirmed_at === null) return;
  const message = composeEmail({
    to: before.email,
    subject: 'The email address of your account was changed',
    says: [`The address of the account @${user.username} at ${services.externalUrl} was changed to ${user.email}.`],
    reason: 'If it was not you, tell an administrator. You get this because the account used your address.',
    id: messageId(services.externalUrl, 'address-changed', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** A further address must be confirmed, and the account's own address learns of it. */
export async function onFurtherAddress(
  services: Services,
  trx: Writer,
  { user, email }: DomainEvents['email.added'],
): Promise<void> {
  await ask(services, trx, user, email);
  if (user.kind !== 'human' || user.confirmed_at === null) return;
  const message = composeEmail({
    to: user.email,
    subject: 'A new email address was added to your account',
    says: [`The address ${email} was added to your account @${user.username} at ${services.externalUrl}.`],
    link: { text: 'Your addresses', url: `${services.externalUrl}/-/profile/emails` },
    reason: 'If it was not you, remove the address and change your password.',
    id: messageId(services.externalUrl, 'address-added', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}
