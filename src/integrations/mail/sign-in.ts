import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

/** A password reset was requested by the user, or by an administrator for them. */
export async function onPasswordReset(
  services: Services,
  trx: Writer,
  { user, email, url }: DomainEvents['password-reset.asked'],
): Promise<void> {
  const message = composeEmail({
    to: email,
    subject: 'Choose a new password',
    says: [`A password reset was requested for the account @${user.username} at ${services.externalUrl}.`],
    link: { text: 'Choose a password', url },
    reason: 'The link is valid for six hours and can be used once. If you did not request it, ignore this email.',
    id: messageId(services.externalUrl, 'password-reset', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** Notifies the user of a changed password, in case an attacker changed it. */
export async function onNewPassword(
  services: Services,
  trx: Writer,
  { user, changed }: DomainEvents['user.updated'],
): Promise<void> {
  if (!changed.has('password_digest') || user.kind !== 'human') return;
  const message = composeEmail({
    to: user.email,
    subject: 'Your password was changed',
    says: [`The password of your account @${user.username} at ${services.externalUrl} was changed.`],
    link: { text: 'Change your password again', url: `${services.externalUrl}/users/password/new` },
    reason: 'If it was not you, reset your password or tell an administrator.',
    id: messageId(services.externalUrl, 'password-changed', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

const longestAgent = 200;

/** Notifies the user of a sign-in from an unknown IP address, which may be an attacker's. */
export async function onSignIn(
  services: Services,
  trx: Writer,
  { user, ip, userAgent, known }: DomainEvents['sign-in.succeeded'],
): Promise<void> {
  if (known || !(await services.settings.read()).notify_on_unknown_sign_in) return;
  const message = composeEmail({
    to: user.email,
    subject: `${new URL(services.externalUrl).hostname} sign-in from new location`,
    says: [
      `There was a sign-in to the account @${user.username} from a new location.`,
      `Address: ${ip}\nBrowser: ${userAgent.slice(0, longestAgent)}\nTime: ${new Date().toUTCString()}`,
    ],
    link: { text: 'Change your password', url: `${services.externalUrl}/-/user_settings/password/edit` },
    reason: 'If it was you, ignore this email. Otherwise change your password immediately.',
    id: messageId(services.externalUrl, 'sign-in', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}
