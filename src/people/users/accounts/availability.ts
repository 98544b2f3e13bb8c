import { isPathTaken } from '../../../access/namespaces/addresses.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Conflict, Invalid } from '../../../platform/http/errors.ts';
import { isEmailTaken, lockEmail } from '../emails/store.ts';
import type { Problems } from './rules.ts';
import { isUsernameTaken } from './store.ts';

const emailTaken = () => new Conflict('Email has already been taken');
const usernameTaken = () => new Conflict('Username has already been taken');

/** Rejects an e-mail address or username that is in use; the address is reported first. */
export async function checkAvailability(
  db: Reader,
  params: { email?: string | undefined; username?: string | undefined },
  except = 0,
): Promise<void> {
  if (params.email && (await isEmailTaken(db, params.email, except))) throw emailTaken();
  if (params.username && (await isUsernameTaken(db, params.username, except))) throw usernameTaken();
}

/** Locks an e-mail address until the transaction ends, and rejects it if another user has it by then. */
export async function claimEmail(trx: Writer, email: string, except = 0): Promise<void> {
  await lockEmail(trx, email);
  if (await isEmailTaken(trx, email, except)) throw emailTaken();
}

/** Rejects a username used by a group: users and groups share a namespace. */
export async function addressProblems(db: Reader, username: string): Promise<Problems> {
  if (!(await isPathTaken(db, username))) return {};
  // A concurrent request may have created a user since `checkAvailability`.
  if (await isUsernameTaken(db, username, 0)) throw usernameTaken();
  return { username: ['has already been taken'] };
}

/** Converts unique violations of concurrent requests into the same errors. */
export function convertUniqueViolation(error: unknown): unknown {
  const broken = uniqueViolation(error);
  if (!broken) return error;
  if (broken.constraint === 'users_email' || broken.constraint === 'emails_email') return emailTaken();
  if (broken.constraint === 'users_username') return usernameTaken();
  if (broken.table === 'routes') return new Invalid({ username: ['has already been taken'] });
  if (broken.table === 'identities') return new Invalid({ 'identities.extern_uid': ['has already been taken'] });
  return error;
}
