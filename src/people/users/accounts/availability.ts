import { addressTaken } from '../../../access/namespaces/addresses.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Conflict, Invalid } from '../../../platform/http/errors.ts';
import { holdEmail, isEmailTaken } from '../emails/store.ts';
import type { Problems } from './rules.ts';
import { isUsernameTaken } from './store.ts';

const emailTaken = () => new Conflict('Email has already been taken');
const usernameTaken = () => new Conflict('Username has already been taken');

/** Refuses what another user has: the address is named first, whatever else is wrong. */
export async function refuseTaken(
  db: Reader,
  wanted: { email?: string | undefined; username?: string | undefined },
  except = 0,
): Promise<void> {
  if (wanted.email && (await isEmailTaken(db, wanted.email, except))) throw emailTaken();
  if (wanted.username && (await isUsernameTaken(db, wanted.username, except))) throw usernameTaken();
}

/** Keeps others from taking an address until the transaction ends, and refuses one that another user has by then. */
export async function claimEmail(trx: Writer, email: string, except = 0): Promise<void> {
  await holdEmail(trx, email);
  if (await isEmailTaken(trx, email, except)) throw emailTaken();
}

/** A group may have the name already: users and groups share one name space. */
export async function addressProblems(db: Reader, username: string): Promise<Problems> {
  if (!(await addressTaken(db, username))) return {};
  // Or a user who was quicker, since `refuseTaken` looked.
  if (await isUsernameTaken(db, username, 0)) throw usernameTaken();
  return { username: ['has already been taken'] };
}

/** The same refusals for those who lost a race, by the constraint that stopped them. */
export function asRefusal(error: unknown): unknown {
  const broken = uniqueViolation(error);
  if (!broken) return error;
  if (broken.constraint === 'users_email' || broken.constraint === 'emails_email') return emailTaken();
  if (broken.constraint === 'users_username') return usernameTaken();
  if (broken.table === 'routes') return new Invalid({ username: ['has already been taken'] });
  if (broken.table === 'identities') return new Invalid({ 'identities.extern_uid': ['has already been taken'] });
  return error;
}
