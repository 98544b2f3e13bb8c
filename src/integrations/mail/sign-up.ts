import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, type Draft, messageId } from './compose.ts';
import { administrators } from './store.ts';

/** Maximum number of administrators who are notified of a user awaiting approval. */
const maxAdministrators = 10;

const send = ({ queue }: Services, trx: Writer, draft: Draft) => queue.enqueue(trx, 'mail.send', composeEmail(draft));

const reason = 'You get this because someone signed up with your address. If it was not you, ignore this email.';

const waits = (user: User) => user.state === 'blocked_pending_approval';

/**
 * Welcomes a new user, unless they get a confirmation e-mail anyway. Apart from the username, nothing the user entered
 * is sent, because the address may belong to someone else.
 */
export async function onSignUp(
  services: Services,
  trx: Writer,
  { user }: DomainEvents['user.signed_up'],
): Promise<void> {
  const { externalUrl } = services;
  if (user.confirmed_at !== null) {
    const next = waits(user) ? ' It is waiting for approval by an administrator. You will get another email then.' : '';
    await send(services, trx, {
      to: user.email,
      subject: 'Your account was made',
      says: [`The account @${user.username} at ${externalUrl} was created.${next}`],
      link: { text: 'Sign in', url: `${externalUrl}/users/sign_in` },
      reason,
      id: messageId(externalUrl, 'sign-up', user.id),
    });
  }
  if (waits(user)) await notifyAdministrators(services, trx, user);
}

async function notifyAdministrators(services: Services, trx: Writer, user: User): Promise<void> {
  const { externalUrl } = services;
  for (const { id, email } of await administrators(trx, maxAdministrators)) {
    await send(services, trx, {
      to: email,
      subject: `@${user.username} is waiting for your approval`,
      says: [`${user.name} (@${user.username}, ${user.email}) has signed up and is waiting for approval.`],
      link: { text: 'Approve or reject', url: `${externalUrl}/admin/users/${user.id}` },
      reason: 'You get this because you are an administrator.',
      id: messageId(externalUrl, 'waiting', user.id, id),
    });
  }
}

/** The sign-up page does not reveal whether an address is taken; only the owner of the address is told. */
export async function onRepeatedSignUp(
  services: Services,
  trx: Writer,
  { user, email }: DomainEvents['sign-up.repeated'],
): Promise<void> {
  const { externalUrl } = services;
  await send(services, trx, {
    to: email,
    subject: 'You have an account already',
    says: [
      `Someone tried to sign up at ${externalUrl} with your address. It belongs to the account @${user.username}.`,
    ],
    link: { text: 'Forgot your password?', url: `${externalUrl}/users/password/new` },
    reason: 'If it was not you, ignore this email: no account was created.',
    id: messageId(externalUrl, 'sign-up-again', user.id, Date.now()),
  });
}

export async function onApproval(
  services: Services,
  trx: Writer,
  { user, from }: DomainEvents['user.state_changed'],
): Promise<void> {
  if (from !== 'blocked_pending_approval' || user.state !== 'active') return;
  const { externalUrl } = services;
  await send(services, trx, {
    to: user.email,
    subject: 'Your account was approved',
    says: [`An administrator approved the account @${user.username} at ${externalUrl}.`],
    link: { text: 'Sign in', url: `${externalUrl}/users/sign_in` },
    reason,
    id: messageId(externalUrl, 'approved', user.id, Date.now()),
  });
}

export async function onRejection(
  services: Services,
  trx: Writer,
  { user }: DomainEvents['user.rejected'],
): Promise<void> {
  const { externalUrl } = services;
  await send(services, trx, {
    to: user.email,
    subject: 'Your account was not approved',
    says: [`An administrator rejected the account @${user.username} at ${externalUrl}. It was deleted.`],
    reason,
    id: messageId(externalUrl, 'rejected', user.id),
  });
}
