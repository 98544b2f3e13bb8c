import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Subscriptions } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

interface Told {
  readonly kind: string;
  readonly subject: string;
  readonly says: string;
}

/** Notifies the user, in case an attacker made the change. */
async function tell(services: Services, trx: Writer, user: User, { kind, subject, says }: Told): Promise<void> {
  const message = composeEmail({
    to: user.email,
    subject,
    says: [says, `It is about your account @${user.username} at ${services.externalUrl}.`],
    link: { text: 'Two-factor authentication', url: `${services.externalUrl}/-/profile/two_factor_auth` },
    reason: 'If it was not you, change your password at once, and tell an administrator.',
    id: messageId(services.externalUrl, kind, user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** E-mails about two-factor authentication. */
export const secondFactorEmails: Subscriptions<Services> = {
  'second-factor.enabled': (services, trx, { user }) =>
    tell(services, trx, user, {
      kind: 'two-factor-on',
      subject: 'Two-factor authentication was switched on',
      says: 'Signing in asks for a code of your app from now on.',
    }),
  'second-factor.disabled': (services, trx, { user, by }) =>
    tell(services, trx, user, {
      kind: 'two-factor-off',
      subject: 'Two-factor authentication was switched off',
      says: `Signing in asks for nothing but your password from now on${by?.id === user.id ? '' : `; ${by === null ? 'who runs the server' : `@${by.username}, an administrator,`} has seen to that`}.`,
    }),
  'recovery-codes.made': (services, trx, { user }) =>
    tell(services, trx, user, {
      kind: 'recovery-codes',
      subject: 'New recovery codes were made',
      says: 'The recovery codes that you had before are worth nothing any more.',
    }),
  'recovery-code.used': (services, trx, { user, left }) =>
    tell(services, trx, user, {
      kind: 'recovery-code-used',
      subject: 'A recovery code was used',
      says: `Somebody used one of your recovery codes in place of a code of your app. ${left} ${left === 1 ? 'is' : 'are'} left.`,
    }),
};
