import { confirmEmail } from '../../access/accounts.ts';
import { moveNamespace } from '../../access/addresses.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import type { UploadedFile } from '../../platform/http/upload.ts';
import { changeAvatar } from '../avatars/public.ts';
import { addressProblems, asRefusal, claimEmail, refuseTaken } from './conflicts.ts';
import { ownEmailProblems } from './create.ts';
import { setIdentity } from './identities.ts';
import { type Problems, passwordProblems, userProblems } from './rules.ts';
import { columnsOf, profileLinks, type Settable, type UserColumns } from './settable.ts';
import { confirmedEmails } from './store.ts';

export interface UserChange extends Settable {
  readonly email?: string;
  readonly name?: string;
  readonly username?: string;
  readonly password?: string;
  /** A new address counts at once, without being confirmed. */
  readonly skip_reconfirmation?: boolean;
  readonly avatar?: UploadedFile | '' | null;
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

/** Changes a user as an administrator does. */
export async function updateUser(services: Services, by: User, user: User, change: UserChange): Promise<void> {
  const { db } = services;
  await refuseTaken(db.read, change, user.id);
  const own = (await confirmedEmails(db.read, user.id)).add(user.email.toLowerCase());
  const { minimum_password_length } = await services.settings.read();
  const problems = await problemsOf(db.read, user, change, own, minimum_password_length);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const columns: UserColumns = {
    ...(change.name === undefined ? {} : { name: change.name.trim() }),
    ...(change.username === undefined ? {} : { username: change.username }),
    ...emailColumns(user, change, own),
    ...(change.password === undefined ? {} : await passwordColumns(services, change.password, by.id === user.id)),
  };
  await changeAvatar(services, change.avatar, user.avatar, async (avatar) => {
    try {
      await db.write((trx) => write(trx, user, { ...columns, ...avatar }, change));
    } catch (error) {
      throw asRefusal(error);
    }
  });
}

async function problemsOf(
  db: Reader,
  user: User,
  change: UserChange,
  own: ReadonlySet<string>,
  leastPassword: number,
): Promise<Problems> {
  const { username, password, email, ...rest } = change;
  const renamed = username !== undefined && username !== user.username ? username : undefined;
  const moves = renamed !== undefined && !same(renamed, user.username);
  const problems: Problems = {
    ...(moves ? await addressProblems(db, renamed) : {}),
    ...userProblems({
      ...rest,
      ...profileLinks(change),
      ...(renamed === undefined ? {} : { username: renamed }),
      ...(email === undefined ? {} : { email }),
    }),
    ...ownEmailProblems(change, email === undefined ? own : new Set([...own, email.toLowerCase()])),
  };
  if (password !== undefined) {
    const wrong = passwordProblems(
      password,
      { ...user, ...(username === undefined ? {} : { username }) },
      leastPassword,
    );
    if (wrong.length > 0) problems.password = wrong;
  }
  return problems;
}

/** A new address waits for its confirmation, unless told otherwise or confirmed already. */
function emailColumns(user: User, change: UserChange, own: ReadonlySet<string>): UserColumns {
  const { email } = change;
  if (email === undefined || email === user.email) return {};
  if (change.skip_reconfirmation || own.has(email.toLowerCase())) return { email, unconfirmed_email: null };
  return { unconfirmed_email: email };
}

/** A password that someone else has set is good for one thing: to be replaced by its owner. */
async function passwordColumns({ passwords }: Services, password: string, bySelf: boolean): Promise<UserColumns> {
  const now = Date.now();
  return { password_digest: await passwords.hash(password), password_expires_at: bySelf ? null : now };
}

async function write(trx: Writer, user: User, columns: UserColumns, change: UserChange): Promise<void> {
  const now = Date.now();
  if (typeof columns.email === 'string') await claimEmail(trx, columns.email, user.id);
  const present = await lockRow(trx, 'users', user.id);
  if (!present) throw new NotFound('User');
  await trx
    .updateTable('users')
    .set({ ...columnsOf(change, present.preferences), ...columns, updated_at: now })
    .where('id', '=', user.id)
    .execute();
  if (typeof columns.email === 'string') await confirmEmail(trx, user.id, columns.email, now);
  if (change.provider && change.extern_uid) await setIdentity(trx, user.id, change.provider, change.extern_uid);
  if (columns.username === undefined && columns.name === undefined) return;
  const namespace = await trx.selectFrom('namespaces').selectAll().where('owner_id', '=', user.id).executeTakeFirst();
  if (!namespace) return;
  const path = typeof columns.username === 'string' ? columns.username : present.username;
  const name = typeof columns.name === 'string' ? columns.name : present.name;
  await moveNamespace(trx, namespace, { path, name, parent: null });
}
