import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Subscriptions } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

interface SecondFactorEmail {
  readonly kind: string;
  readonly subject: string;
  readonly says: string;
}

/** Notifies the user, in case an attacker made the change. */
async function sendEmail(
  services: Services,
  trx: Writer,
  user: User,
  { kind, subject, says }: SecondFactorEmail,
): Promise<void> {
  const message = composeEmail({
    to: user.email,
    subject,
    says: [says, `This concerns your account @${user.username} at ${services.externalUrl}.`],
    link: { text: 'Two-factor authentication', url: `${services.externalUrl}/-/profile/two_factor_auth` },
    reason: 'If it was not you, change your password immediately and tell an administrator.',
    id: messageId(services.externalUrl, kind, user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** E-mails about two-factor authentication. */
export const secondFactorEmails: Subscriptions<Services> = {
  'second-factor.enabled': (services, trx, { user }) =>
    sendEmail(services, trx, user, {
      kind: 'two-factor-on',
      subject: 'Two-factor authentication was switched on',
      says: 'From now on, signing in requires a code from your app.',
    }),
  'second-factor.disabled': (services, trx, { user, by }) =>
    sendEmail(services, trx, user, {
      kind: 'two-factor-off',
      subject: 'Two-factor authentication was switched off',
      says: `From now on, signing in requires only your password${by?.id === user.id ? '' : `; it was disabled by ${by === null ? 'the operator of the server' : `@${by.username}, an administrator`}`}.`,
    }),
  'recovery-codes.made': (services, trx, { user }) =>
    sendEmail(services, trx, user, {
      kind: 'recovery-codes',
      subject: 'New recovery codes were generated',
      says: 'Your previous recovery codes are no longer valid.',
    }),
  'recovery-code.used': (services, trx, { user, left }) =>
    sendEmail(services, trx, user, {
      kind: 'recovery-code-used',
      subject: 'A recovery code was used',
      says: `One of your recovery codes was used instead of a code from your app. ${left} ${left === 1 ? 'is' : 'are'} left.`,
    }),
};
