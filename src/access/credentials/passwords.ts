import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { passwordLock } from '../application-settings/effective.ts';
import type { Services } from '../services.ts';
import type { User } from '../tables.ts';
import { mustConfirm } from './email-confirmation.ts';

type Needed = Pick<Services, 'db' | 'passwords' | 'config' | 'contributions' | 'settings'>;

/** An attempt to sign in; `known` is the account of that name here. */
export interface Attempt {
  readonly login: string;
  readonly password: string;
  readonly known: User | undefined;
}

/** Accounts whose passwords are kept elsewhere. */
export interface PasswordDirectory {
  /** Is the password of this account the directory's to check, and nobody else's? */
  owns(db: Reader, user: User): Promise<boolean>;
  /** The account of whoever the directory says this is; made, where it is their first time. */
  check(attempt: Attempt): Promise<User | undefined>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** In the order in which they are asked. */
    'passwords.directories': (services: Services) => readonly PasswordDirectory[];
  }
}

/**
 * Signs someone in by user name or e-mail address and password; undefined when that fails, for whatever reason: who
 * guesses learns neither whether there is such a user nor whether they are locked. Whether the account may act, and
 * whether a second factor is asked for, is for the caller to see. Whatever takes passwords asks here: accounts of a
 * directory are no exception anywhere.
 */
export async function checkPassword(services: Services, login: string, password: string): Promise<User | undefined> {
  const { db, passwords } = services;
  const user = await userByLogin(db.read, login);
  const directories = services.contributions('passwords.directories').flatMap((open) => open(services));
  const owner = user && (await ownerAmong(directories, db.read, user));
  const isRight = await passwords.verify(password, owner ? undefined : user?.password_digest);
  if (user && isShut(user)) return undefined;
  if (user && isRight) return enter(services, user.id, password);
  // Two directories may each have somebody of this name: who is not the one may be the other, with another account.
  const others = directories.filter((directory) => directory !== owner);
  for (const directory of owner ? [owner, ...others] : directories) {
    const proven = await directory.check({ login, password, known: user });
    if (proven) return isShut(proven) ? undefined : forgive(services, proven);
  }
  if (user) await countFailure(services, user);
  return undefined;
}

/** The same for programs, which cannot be told why: who owes a confirmation is nobody to them. */
export async function checkPasswordOfProgram(
  services: Services,
  login: string,
  password: string,
): Promise<User | undefined> {
  const user = await checkPassword(services, login, password);
  return user && !(await mustConfirm(services, user)) ? user : undefined;
}

/** Is the password of this account kept in a directory, and so not for anybody to change here? */
export async function isKeptElsewhere(services: Services, db: Reader, user: User): Promise<boolean> {
  const directories = services.contributions('passwords.directories').flatMap((open) => open(services));
  return (await ownerAmong(directories, db, user)) !== undefined;
}

async function ownerAmong(directories: readonly PasswordDirectory[], db: Reader, user: User) {
  for (const directory of directories) if (await directory.owns(db, user)) return directory;
  return undefined;
}

/** A right password ends the count of wrong ones. */
async function forgive({ db }: Needed, user: User): Promise<User> {
  if (user.failed_attempts === 0 && user.locked_until === null) return user;
  const forgiven = { failed_attempts: 0, locked_until: null };
  await db.write((trx) => trx.updateTable('users').set(forgiven).where('id', '=', user.id).execute());
  return { ...user, ...forgiven };
}

const isShut = (user: Pick<User, 'locked_until'>) => user.locked_until !== null && user.locked_until > Date.now();

/** Whose user name, first address or confirmed further address this is. */
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

async function countFailure({ db, config, settings }: Needed, user: User): Promise<void> {
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
 * Looks once more before letting in: of many guesses sent at once, the right one may come after the one that locked the
 * account, though all were checked against the account as it was before.
 */
async function enter(services: Needed, id: number, password: string): Promise<User | undefined> {
  const { db, passwords } = services;
  const user = await db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (!user?.password_digest || isShut(user)) return undefined;
  const stale = passwords.needsRehash(user.password_digest);
  if (!stale && user.failed_attempts === 0 && user.locked_until === null) return user;
  // Only where it is still the one that was checked: a change of password meanwhile must stand.
  const digest = stale ? await passwords.hash(password) : user.password_digest;
  const forgiven = { failed_attempts: 0, locked_until: null, password_digest: digest };
  await db.write((trx) =>
    trx
      .updateTable('users')
      .set(forgiven)
      .where('id', '=', id)
      .where('password_digest', '=', user.password_digest)
      .execute(),
  );
  return { ...user, ...forgiven };
}
