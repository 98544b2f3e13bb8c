import { hasDirectoryPassword } from '../../access/credentials/passwords.ts';
import { maintenanceRefusal } from '../../access/limits/maintenance.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { acquireLock, lockRow } from '../../platform/database/locks.ts';
import { type Browser, limitAttempts, SignInRefused, verifyOwner } from '../sessions/public.ts';
import { changeUser, deleteUser, identitiesOf, isEmailAllowed, type UserChange, updateUser } from '../users/public.ts';
import { hasOtherAdministrator } from './store.ts';

/** The profile fields that users change themselves. */
export type OwnProfile = Pick<
  UserChange,
  | 'name'
  | 'pronouns'
  | 'public_email'
  | 'commit_email'
  | 'website_url'
  | 'location'
  | 'job_title'
  | 'organization'
  | 'linkedin'
  | 'twitter'
  | 'discord'
  | 'github'
  | 'bio'
  | 'private_profile'
>;

/** What the user may change, and how they prove who they are. */
export interface OwnAccountRules {
  /** Why the name cannot be changed. */
  readonly nameLock: string | undefined;
  /** Why the e-mail address cannot be changed. */
  readonly emailLock: string | undefined;
  readonly mayDelete: boolean;
  /** Whether there is a password to ask for; users of a provider may have none that is accepted. */
  readonly asksForPassword: boolean;
}

const fromDirectory = (what: string) => `Your ${what} comes from the directory of your organization.`;

export async function rulesOfOwnAccount(services: Services, user: User): Promise<OwnAccountRules> {
  const { db, directories, settings } = services;
  const { updating_name_disabled_for_users: namesFixed, allow_account_deletion: mayDelete } = await settings.read();
  const own = (await identitiesOf(db.read, [user.id])).get(user.id) ?? [];
  const managed = own.some(({ provider }) => directories.some((directory) => directory.settings.provider === provider));
  const elsewhere = await hasDirectoryPassword(services, db.read, user);
  const nameFixed = namesFixed && user.admin === 0 ? 'Only administrators can change names.' : undefined;
  return {
    nameLock: managed ? fromDirectory('name') : nameFixed,
    emailLock: managed ? fromDirectory('email address') : undefined,
    mayDelete,
    asksForPassword: managed || (user.password_digest !== null && !elsewhere),
  };
}

/** Refuses writes in maintenance mode, as the API does. */
async function requireWritable(services: Services): Promise<void> {
  const refusal = await maintenanceRefusal(services);
  if (refusal !== undefined) throw new SignInRefused(refusal);
}

export async function changeOwnProfile(services: Services, user: User, change: OwnProfile): Promise<void> {
  await requireWritable(services);
  const { name, ...rest } = change;
  const renames = name !== undefined && name.trim() !== user.name;
  const { nameLock } = await rulesOfOwnAccount(services, user);
  if (renames && nameLock !== undefined) throw new SignInRefused(nameLock);
  await updateUser(services, user, user, renames ? change : rest);
}

/** Requests another e-mail address, which takes effect once its link is followed. */
export async function changeOwnEmail(
  services: Services,
  user: User,
  { email, password }: { readonly email: string; readonly password: string },
  browser: Browser,
): Promise<void> {
  await requireWritable(services);
  const { emailLock, asksForPassword } = await rulesOfOwnAccount(services, user);
  if (emailLock !== undefined) throw new SignInRefused(emailLock);
  await proveOwner(services, user, asksForPassword, password, browser);
  if (!isEmailAllowed(email, await services.settings.read())) {
    throw new SignInRefused('This email address is not allowed on this instance.');
  }
  await updateUser(services, user, user, { email });
}

/** Gives up a requested address, whose link then has no effect. */
export async function keepOwnEmail(services: Services, user: User): Promise<void> {
  await requireWritable(services);
  await services.db.write(async (trx) => {
    const present = await lockRow(trx, 'users', user.id);
    if (present) await changeUser(services, trx, present, { unconfirmed_email: null });
  });
}

export async function changeOwnUsername(services: Services, user: User, username: string): Promise<void> {
  await requireWritable(services);
  await updateUser(services, user, user, { username });
}

async function proveOwner(
  services: Services,
  user: User,
  asksForPassword: boolean,
  password: string,
  browser: Browser,
): Promise<void> {
  if (asksForPassword) await verifyOwner(services, user, password, browser);
  else await limitAttempts(services, browser);
}

/** What users enter to delete their account. */
export interface DeletionProof {
  readonly password: string;
  /** Entered instead by users without a password. */
  readonly username: string;
}

/** Deletes the caller's account as an administrator would; contributions are kept as those of the ghost user. */
export async function deleteOwnAccount(
  services: Services,
  user: User,
  { password, username }: DeletionProof,
  browser: Browser,
): Promise<void> {
  await requireWritable(services);
  const { mayDelete, asksForPassword } = await rulesOfOwnAccount(services, user);
  if (!mayDelete) throw new SignInRefused('Only administrators can delete accounts.');
  await proveOwner(services, user, asksForPassword, password, browser);
  if (!asksForPassword && username !== user.username) throw new SignInRefused('The username is incorrect.');
  await deleteUser(services, user, false, (trx) => refuseLastAdministrator(trx, user));
}

/** The lock lets one of two administrators who leave at the same time see that the other has left. */
async function refuseLastAdministrator(trx: Writer, user: User): Promise<void> {
  if (user.admin === 0) return;
  await acquireLock(trx, 'last administrator');
  if (await hasOtherAdministrator(trx, user.id)) return;
  throw new SignInRefused('You are the only administrator. Make another user an administrator first.');
}
