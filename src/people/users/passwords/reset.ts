import Type from 'typebox';
import { findUser } from '../../../access/credentials/identify.ts';
import { hasDirectoryPassword, userByLogin } from '../../../access/credentials/passwords.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { Undecryptable } from '../../../platform/secrets/encryption.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { passwordProblems } from '../accounts/rules.ts';
import { changeUser } from '../accounts/store.ts';
import { confirmEmail, ownAddress } from '../emails/store.ts';

const purpose = 'passwords.reset';
const lifetime = 6 * 3_600_000;
const Claim = Type.Object({
  userId: Type.Integer(),
  email: Type.String(),
  /** Digest of the current password: once it is changed, the link is invalid. */
  former: Type.String(),
  until: Type.Integer(),
});
const read = storedJson(Claim);

declare module '../../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A password reset link was requested; `url` is sent to this address only. */
    'password-reset.asked': { readonly user: User; readonly email: string; readonly url: string };
  }
}

const formerOf = (user: User) => digest(user.password_digest ?? 'none');
const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

/** Sends a password reset link to one of a user's e-mail addresses. */
export async function sendReset(services: Services, trx: Writer, user: User, email: string): Promise<void> {
  const claim = { userId: user.id, email, former: formerOf(user), until: Date.now() + lifetime };
  const secret = encodeURIComponent(services.encryption.encrypt(JSON.stringify(claim), purpose));
  const url = `${services.externalUrl}/users/password/edit?reset_password_token=${secret}`;
  await services.announce(trx, 'password-reset.asked', { user, email, url });
}

/** Whether this account may set a password here; directory users may not. */
async function mayChoose(services: Services, db: Reader, user: User): Promise<boolean> {
  const usable = user.kind === 'human' && (user.state === 'active' || user.state === 'deactivated');
  return usable && !(await hasDirectoryPassword(services, db, user));
}

/** Sends a reset link if an account has this e-mail address; otherwise does nothing. */
export async function sendResetTo(services: Services, email: string): Promise<void> {
  const user = email.includes('@') ? await userByLogin(services.db.read, email) : undefined;
  if (!user || !(await mayChoose(services, services.db.read, user))) return;
  const to = await ownAddress(services.db.read, user, email);
  if (to !== undefined) await services.db.write((trx) => sendReset(services, trx, user, to));
}

async function resettableUser(services: Services, db: Reader, secret: string, user: User | undefined) {
  const claim = claimOf(services, secret);
  if (!claim || !user || user.id !== claim.userId || formerOf(user) !== claim.former) return undefined;
  const owned = await ownAddress(db, user, claim.email);
  return owned !== undefined && (await mayChoose(services, db, user)) ? claim : undefined;
}

function claimOf({ encryption }: Services, secret: string) {
  try {
    const claim = read(encryption.decrypt(secret, purpose));
    return claim.until > Date.now() ? claim : undefined;
  } catch (error) {
    if (error instanceof Undecryptable) return undefined;
    throw error;
  }
}

/** Whether a reset token is still valid. */
export async function isResetOpen(services: Services, secret: string): Promise<boolean> {
  const { db } = services;
  const user = await findUser(db.read, claimOf(services, secret)?.userId);
  return (await resettableUser(services, db.read, secret, user)) !== undefined;
}

/**
 * Sets a new password with a reset token; false if the token is used, expired or invalid. Also confirms the e-mail
 * address that the token was sent to.
 */
export async function resetPassword(services: Services, secret: string, password: string): Promise<boolean> {
  const { db, settings, passwords } = services;
  const known = await findUser(db.read, claimOf(services, secret)?.userId);
  if (!known || !(await resettableUser(services, db.read, secret, known))) return false;
  const problems = passwordProblems(password, known, await settings.read());
  if (problems.length > 0) throw new Invalid({ password: problems });
  const password_digest = await passwords.hash(password);
  return db.write(async (trx) => {
    const user = await lockRow(trx, 'users', known.id);
    const claim = await resettableUser(services, trx, secret, user);
    if (!user || !claim) return false;
    const now = Date.now();
    const proven = same(user.email, claim.email) && user.confirmed_at === null;
    const freed = { password_expires_at: null, failed_attempts: 0, locked_until: null };
    await changeUser(services, trx, user, { password_digest, ...freed, ...(proven ? { confirmed_at: now } : {}) });
    if (proven) await confirmEmail(services, trx, user.id, user.email, now);
    return true;
  });
}
