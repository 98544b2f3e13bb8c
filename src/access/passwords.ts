import { sql } from 'kysely';
import type { Reader } from '../platform/database/database.ts';
import type { Services } from './services.ts';
import type { User } from './tables.ts';

type Needed = Pick<Services, 'db' | 'passwords' | 'config'>;

/**
 * Signs someone in by user name or e-mail address and password; undefined when that fails, for whatever reason: who
 * guesses learns neither whether there is such a user nor whether they are locked. Whether the account may act, and
 * whether a second factor is asked for, is for the caller to see.
 */
export async function checkPassword(services: Needed, login: string, password: string): Promise<User | undefined> {
  const { db, passwords } = services;
  const user = await findByLogin(db.read, login);
  const isRight = await passwords.verify(password, user?.password_digest);
  if (!user || isShut(user)) return undefined;
  if (!isRight) {
    await countFailure(services, user);
    return undefined;
  }
  return enter(services, user.id, password);
}

const isShut = (user: Pick<User, 'locked_until'>) => user.locked_until !== null && user.locked_until > Date.now();

async function findByLogin(db: Reader, login: string): Promise<User | undefined> {
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

async function countFailure({ db, config }: Needed, user: User): Promise<void> {
  const { passwordAttempts, passwordLock } = config;
  if (passwordAttempts === 0) return;
  await db.write(async (trx) => {
    const counted = await trx
      .updateTable('users')
      .set({ failed_attempts: sql<number>`failed_attempts + 1` })
      .where('id', '=', user.id)
      .returning('failed_attempts')
      .executeTakeFirst();
    if (!counted || counted.failed_attempts < passwordAttempts) return;
    const locked = { failed_attempts: 0, locked_until: Date.now() + passwordLock };
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
