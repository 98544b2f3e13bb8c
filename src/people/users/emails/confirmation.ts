import Type from 'typebox';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict } from '../../../platform/http/errors.ts';
import type { SmallPage } from '../../../platform/http/pages/small-page.ts';
import { sealedJson } from '../../../platform/secrets/sealed-json.ts';
import { claimEmail } from '../accounts/availability.ts';
import { changeUser } from '../accounts/store.ts';
import { confirmEmail, hasEmail, userAwaitingConfirmation } from './store.ts';

const lifetime = 3 * 86_400_000;
const claims = sealedJson(
  'emails.confirmation',
  Type.Object({ userId: Type.Integer(), email: Type.String(), until: Type.Integer() }),
);

/** Returns the confirmation URL of an e-mail address; it is only ever sent to that address. */
export function confirmationUrl({ encryption, externalUrl }: Services, userId: number, email: string): string {
  const secret = claims.seal(encryption, { userId, email, until: Date.now() + lifetime });
  return `${externalUrl}/-/users/confirmation?confirmation_token=${encodeURIComponent(secret)}`;
}

function claimOf({ encryption }: Services, secret: string) {
  const claim = claims.open(encryption, secret);
  return claim && claim.until > Date.now() ? claim : undefined;
}

/** Sends another confirmation e-mail if the address is waiting for one. */
export async function resendConfirmation(services: Services, typed: string): Promise<void> {
  const { db } = services;
  const found = await userAwaitingConfirmation(db.read, typed);
  const user = await findUser(db.read, found?.userId);
  if (!found || user?.kind !== 'human' || user.state === 'blocked' || user.state === 'banned') return;
  // Sent to the address as it was entered: one that the database compares as equal may be a different mailbox.
  const { email } = found;
  await db.write((trx) => services.announce(trx, 'email.added', { user, email }));
}

const signIn = ({ externalUrl }: Services) => ({ text: 'Sign in', url: `${externalUrl}/users/sign_in` });

const invalid = ({ externalUrl }: Services): SmallPage => ({
  status: 404,
  title: 'The link is invalid',
  says: 'It is older than three days or incomplete.',
  next: { text: 'Request another one', url: `${externalUrl}/users/confirmation/new` },
});

export async function askForConfirmation(services: Services, secret: string): Promise<SmallPage> {
  const claim = claimOf(services, secret);
  if (!claim) return invalid(services);
  return { title: 'Confirm your email address', says: `Is ${claim.email} your email address?`, button: 'Confirm' };
}

const same = (left: string | null, right: string) => left?.toLowerCase() === right.toLowerCase();

/** Confirms an e-mail address. Idempotent. */
export async function confirmAddress(services: Services, secret: string): Promise<SmallPage> {
  const claim = claimOf(services, secret);
  if (!claim) return invalid(services);
  const { userId, email } = claim;
  try {
    return await services.db.write(async (trx) => {
      const user = await lockRow(trx, 'users', userId);
      if (!user) return invalid(services);
      const now = Date.now();
      if (same(user.email, email)) {
        if (user.confirmed_at === null) await changeUser(services, trx, user, { confirmed_at: now });
      } else if (same(user.unconfirmed_email, email)) {
        await claimEmail(trx, email, userId);
        const confirmed_at = user.confirmed_at ?? now;
        await changeUser(services, trx, user, { email, unconfirmed_email: null, confirmed_at });
      } else if (!(await hasEmail(trx, userId, email))) return invalid(services);
      await confirmEmail(services, trx, userId, email, now);
      return { title: 'Your email address is confirmed', says: `${email} is confirmed.`, next: signIn(services) };
    });
  } catch (error) {
    if (error instanceof Conflict) {
      return { status: 409, title: 'The email address is taken', says: 'Another account has confirmed it meanwhile.' };
    }
    throw error;
  }
}
