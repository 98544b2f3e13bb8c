import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { changeAvatar } from '../../avatars/public.ts';
import { confirmEmail, confirmedEmails } from '../emails/store.ts';
import { setIdentity } from '../identities/store.ts';
import { sendReset } from '../passwords/reset.ts';
import { privateEmail } from '../profiles/present.ts';
import { addressProblems, checkAvailability, claimEmail, convertUniqueViolation } from './availability.ts';
import { columnsOf, profileLinks, type Settable } from './columns.ts';
import { plainProfile } from './plain-text.ts';
import { type PasswordRules, type Problems, passwordProblems, userProblems } from './rules.ts';
import { blankAccount, changeUser, insertUser, type NewAccount, type UserColumns } from './store.ts';

/** Attributes of a new user, as in the API. */
export interface NewUserInput extends Settable {
  readonly email: string;
  readonly name: string;
  readonly username: string;
  readonly password?: string;
  /** The user chooses a password through an e-mail. */
  readonly reset_password?: boolean;
  readonly force_random_password?: boolean;
  /** Treat the e-mail address as confirmed. */
  readonly skip_confirmation?: boolean;
  /** The account is unusable until an administrator approves it. */
  readonly awaits_approval?: boolean;
  readonly avatar?: UploadedFile | '' | null;
}

/** Creates a user as an administrator does; `createdBy` is the administrator's id, if any. */
export async function createUserAsAdmin(
  services: Services,
  sent: NewUserInput,
  createdBy: number | null = null,
): Promise<User> {
  const { db } = services;
  const input = plainProfile(sent);
  const settings = await services.settings.read();
  await checkAvailability(db.read, input);
  const problems: Problems = {
    ...(await addressProblems(db.read, input.username)),
    ...userProblems({ ...input, ...profileLinks(input) }),
    ...ownEmailProblems(input, new Set([input.email.toLowerCase()])),
  };
  const password = input.reset_password || input.force_random_password ? undefined : input.password;
  if (password !== undefined) {
    const wrong = passwordProblems(password, input, settings);
    if (wrong.length > 0) problems.password = wrong;
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const reset = input.reset_password === true;
  const password_digest = password === undefined ? null : await services.passwords.hash(password);
  const row = {
    ...blankAccount,
    ...columnsOf({ ...defaultsOf(settings), ...input }),
    username: input.username,
    name: input.name.trim(),
    email: input.email,
    password_digest,
    confirmed_at: input.skip_confirmation ? Date.now() : null,
    created_by_id: createdBy,
    ...(input.awaits_approval && { state: 'blocked_pending_approval' as const }),
  };
  return changeAvatar(services, input.avatar || undefined, null, (trx, avatar) =>
    insert(services, trx, { ...row, ...avatar }, input, reset),
  ).catch((error: unknown) => {
    throw convertUniqueViolation(error);
  });
}

async function insert(
  services: Services,
  trx: Writer,
  row: NewAccount,
  input: Settable,
  reset: boolean,
): Promise<User> {
  await claimEmail(trx, row.email);
  const user = await insertUser(services, trx, row);
  if (reset) await sendReset(services, trx, user, user.email);
  if (input.provider && input.extern_uid) await setIdentity(services, trx, user.id, input.provider, input.extern_uid);
  return user;
}

/** Returns the default attributes of new accounts. */
export function defaultsOf(settings: ApplicationSettings): Settable {
  return {
    projects_limit: settings.default_projects_limit,
    can_create_group: settings.can_create_group,
    external: settings.user_default_external,
    private_profile: settings.user_defaults_to_private_profile,
  };
}

export interface UserChange extends Settable {
  readonly email?: string;
  readonly name?: string;
  readonly username?: string;
  readonly password?: string;
  /** A new e-mail address takes effect without confirmation. */
  readonly skip_reconfirmation?: boolean;
  readonly avatar?: UploadedFile | '' | null;
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

/** Updates a user as an administrator does. */
export async function updateUser(services: Services, by: User, user: User, sent: UserChange): Promise<void> {
  const { db } = services;
  const change = plainProfile(sent);
  await checkAvailability(db.read, change, user.id);
  const own = (await confirmedEmails(db.read, user.id)).add(user.email.toLowerCase());
  const problems = await problemsOf(db.read, user, change, own, await services.settings.read());
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const columns: UserColumns = {
    ...(change.name === undefined ? {} : { name: change.name.trim() }),
    ...(change.username === undefined ? {} : { username: change.username }),
    ...emailColumns(user, change, own),
    ...(change.password === undefined ? {} : await passwordColumns(services, change.password, by.id === user.id)),
  };
  await changeAvatar(services, change.avatar, user.avatar, (trx, avatar) =>
    write(services, trx, user, { ...columns, ...avatar }, change),
  ).catch((error: unknown) => {
    throw convertUniqueViolation(error);
  });
}

async function problemsOf(
  db: Reader,
  user: User,
  change: UserChange,
  own: ReadonlySet<string>,
  rules: PasswordRules,
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
    const wrong = passwordProblems(password, { ...user, ...(username === undefined ? {} : { username }) }, rules);
    if (wrong.length > 0) problems.password = wrong;
  }
  return problems;
}

/** A new e-mail address has to be confirmed, unless it is already or confirmation is skipped. */
function emailColumns(user: User, change: UserChange, own: ReadonlySet<string>): UserColumns {
  const { email } = change;
  if (email === undefined || email === user.email) return {};
  if (change.skip_reconfirmation || own.has(email.toLowerCase())) return { email, unconfirmed_email: null };
  return { unconfirmed_email: email };
}

/** A password set by another user expires immediately: its owner has to replace it at the first sign-in. */
async function passwordColumns({ passwords }: Services, password: string, bySelf: boolean): Promise<UserColumns> {
  const now = Date.now();
  return { password_digest: await passwords.hash(password), password_expires_at: bySelf ? null : now };
}

async function write(
  services: Services,
  trx: Writer,
  user: User,
  columns: UserColumns,
  change: UserChange,
): Promise<void> {
  if (typeof columns.email === 'string') await claimEmail(trx, columns.email, user.id);
  const present = await lockRow(trx, 'users', user.id);
  if (!present) throw new NotFound('User');
  await changeUser(services, trx, present, { ...columnsOf(change, present.preferences), ...columns });
  if (typeof columns.email === 'string') await confirmEmail(services, trx, user.id, columns.email, Date.now());
  if (change.provider && change.extern_uid)
    await setIdentity(services, trx, user.id, change.provider, change.extern_uid);
}

/** Only confirmed addresses can be shown publicly or used in commits. */
function ownEmailProblems(
  emails: { public_email?: string; commit_email?: string },
  own: ReadonlySet<string>,
): Problems {
  const problems: Problems = {};
  for (const key of ['public_email', 'commit_email'] as const) {
    const email = emails[key];
    if (!email || (key === 'commit_email' && email === privateEmail) || own.has(email.toLowerCase())) continue;
    problems[key] = ['is not an email you own'];
  }
  return problems;
}

/** Sets a user's password and clears a lock. */
export async function setPassword(services: Services, user: User, password: string): Promise<void> {
  const problems = passwordProblems(password, user, await services.settings.read());
  if (problems.length > 0) throw new Invalid({ password: problems });
  const password_digest = await services.passwords.hash(password);
  const change = { password_digest, password_expires_at: null, failed_attempts: 0, locked_until: null };
  await services.db.write((trx) => changeUser(services, trx, user, change));
}
