import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { passwordLock } from '../application-settings/effective.ts';
import type { Services } from '../services.ts';
import type { User } from '../tables.ts';
import { mustConfirm } from './email-confirmation.ts';

type Dependencies = Pick<Services, 'db' | 'passwords' | 'config' | 'contributions' | 'settings'>;

/** A sign-in attempt; `known` is the local account with this login. */
export interface Attempt {
  readonly login: string;
  readonly password: string;
  readonly known: User | undefined;
}

/** A source of accounts whose passwords are stored elsewhere, such as LDAP. */
export interface PasswordDirectory {
  /** Whether the password of this account can only be checked by this directory. */
  owns(db: Reader, user: User): Promise<boolean>;
  /** The account that the directory authenticates, created at its first sign-in. */
  check(attempt: Attempt): Promise<User | undefined>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** In the order in which they are queried. */
    'passwords.directories': (services: Services) => readonly PasswordDirectory[];
  }
}

/**
 * Authenticates a user by user name or email address and password; undefined if that fails for any reason, so that an
 * attacker learns neither whether the user exists nor whether they are locked. Callers must check whether the account
 * may be used, and whether a second factor is required. Everything that accepts passwords uses this function, so that
 * directory accounts work everywhere.
 */
export async function checkPassword(services: Services, login: string, password: string): Promise<User | undefined> {
  const { db, passwords } = services;
  const user = await userByLogin(db.read, login);
  const directories = services.contributions('passwords.directories').flatMap((open) => open(services));
  const owner = user && (await ownerAmong(directories, db.read, user));
  const isRight = await passwords.verify(password, owner ? undefined : user?.password_digest);
  if (user && isLocked(user)) return undefined;
  if (user && isRight) return enter(services, user.id, password);
  // Two directories may have different users with this login: whoever fails in one may be the other, with another
  // account.
  const others = directories.filter((directory) => directory !== owner);
  for (const directory of owner ? [owner, ...others] : directories) {
    const proven = await directory.check({ login, password, known: user });
    if (proven) return isLocked(proven) ? undefined : resetFailures(services, proven);
  }
  if (user) await countFailure(services, user);
  return undefined;
}

/** Like `checkPassword`, for programs, which cannot show a reason: unconfirmed users are treated as unknown. */
export async function checkPasswordOfProgram(
  services: Services,
  login: string,
  password: string,
): Promise<User | undefined> {
  const user = await checkPassword(services, login, password);
  return user && !(await mustConfirm(services, user)) ? user : undefined;
}

/** Whether the password of this account is stored in a directory and therefore cannot be changed here. */
export async function hasDirectoryPassword(services: Services, db: Reader, user: User): Promise<boolean> {
  const directories = services.contributions('passwords.directories').flatMap((open) => open(services));
  return (await ownerAmong(directories, db, user)) !== undefined;
}

async function ownerAmong(directories: readonly PasswordDirectory[], db: Reader, user: User) {
  for (const directory of directories) if (await directory.owns(db, user)) return directory;
  return undefined;
}

/** Resets the count of failed attempts after a correct password. */
async function resetFailures({ db }: Dependencies, user: User): Promise<User> {
  if (user.failed_attempts === 0 && user.locked_until === null) return user;
  const reset = { failed_attempts: 0, locked_until: null };
  await db.write((trx) => trx.updateTable('users').set(reset).where('id', '=', user.id).execute());
  return { ...user, ...reset };
}

const isLocked = (user: Pick<User, 'locked_until'>) => user.locked_until !== null && user.locked_until > Date.now();

/** The user with this user name, primary email address or confirmed secondary address. */
export async function userByLogin(db: Reader, login: string): Promise<User | undefined> {
  const byName = sql<boolean>`lower(username) = lower(${login})`;
  const byEmail = sql<boolean>`lower(email) = lower(${login})`;
  const found = await db
    .selectFrom('users')
    .selectAll()
    .where(login.includes('@') ? byEmail : byName)
    .executeTakeFirst();
  if (found || !login.includes('@')) return found?.kind === 'human' ? found : undefined;
  const owner = db.selectFrom('emails').select('user_id').where(byEmail).where('confirmed_at', 'is not', null);
  return db.selectFrom('users').selectAll().where('id', 'in', owner).where('kind', '=', 'human').executeTakeFirst();
}

async function countFailure({ db, config, settings }: Dependencies, user: User): Promise<void> {
  const lock = passwordLock(config, await settings.read());
  if (!lock) return;
  await db.write(async (trx) => {
    const counted = await trx
      .updateTable('users')
      .set({ failed_attempts: sql<number>`failed_attempts + 1` })
      .where('id', '=', user.id)
      .returning('failed_attempts')
      .executeTakeFirst();
    if (!counted || counted.failed_attempts < lock.attempts) return;
    const locked = { failed_attempts: 0, locked_until: Date.now() + lock.duration };
    await trx.updateTable('users').set(locked).where('id', '=', user.id).execute();
  });
}

/**
 * Reads the account again before admitting the user: of many guesses sent at once, the correct one may come after the
 * one that locked the account, although all were checked against its earlier state.
 */
async function enter(services: Dependencies, id: number, password: string): Promise<User | undefined> {
  const { db, passwords } = services;
  const user = await db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (!user?.password_digest || isLocked(user)) return undefined;
  const stale = passwords.needsRehash(user.password_digest);
  if (!stale && user.failed_attempts === 0 && user.locked_until === null) return user;
  // Only if the digest is still the one that was checked: a concurrent password change must not be overwritten.
  const digest = stale ? await passwords.hash(password) : user.password_digest;
  const changes = { failed_attempts: 0, locked_until: null, password_digest: digest };
  await db.write((trx) =>
    trx
      .updateTable('users')
      .set(changes)
      .where('id', '=', id)
      .where('password_digest', '=', user.password_digest)
      .execute(),
  );
  return { ...user, ...changes };
}
