import type { Attempt, PasswordDirectory } from '../../access/credentials/passwords.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Directory } from '../../platform/directory/directory.ts';
import { DirectoryUnavailable } from '../../platform/directory/directory.ts';
import { allOf, equals } from '../../platform/directory/filter.ts';
import {
  createForIdentity,
  identitiesOf,
  replaceEmail,
  setIdentity,
  setState,
  userByEmail,
  userByIdentity,
} from '../users/public.ts';
import { type DirectoryPerson, personAttributes, readPerson, usernameFrom } from './person.ts';

const longestLogin = 255;

/** Password authentication against the configured directories. */
export function passwordDirectories(services: Services): PasswordDirectory[] {
  return services.directories.map((directory) => ({
    owns: async (db, user) => (await primaryProvider(services, db, user.id)) === directory.settings.provider,
    check: async (attempt) => {
      try {
        const person = await authenticate(services, directory, attempt);
        return person && (await accountOf(services, directory, person));
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        const { provider } = directory.settings;
        services.log.error({ provider, err: error }, 'the directory is unavailable; its users cannot sign in');
        return undefined;
      }
    },
  }));
}

/** Returns the directory that manages an account: the first one it was linked to. */
async function primaryProvider({ directories }: Services, db: Reader, userId: number): Promise<string | undefined> {
  const own = (await identitiesOf(db, [userId])).get(userId) ?? [];
  return own.find(({ provider }) => directories.some(({ settings }) => settings.provider === provider))?.provider;
}

/**
 * Authenticates against a directory and returns the entry of the user; undefined for an unknown login or wrong
 * password.
 */
async function authenticate(
  { log }: Services,
  directory: Directory,
  { login, password }: Attempt,
): Promise<DirectoryPerson | undefined> {
  if (password === '' || login === '' || login.length > longestLogin) return undefined;
  const { provider, base, uid, userFilter } = directory.settings;
  return directory.use(async (session) => {
    const filter = allOf(equals(uid, login), userFilter);
    const request = { base, scope: 'sub' as const, filter, attributes: personAttributes(uid) };
    const found = await Array.fromAsync(session.search({ ...request, most: 2 }));
    const [entry, another] = found;
    if (another) log.warn({ provider, login }, 'several directory entries match the login; the sign-in is refused');
    if (!entry || another || !(await session.proves(entry.dn, password))) return undefined;
    return readPerson(entry, uid);
  });
}

/** Returns the account of an authenticated directory user, linking or creating it if necessary. */
async function accountOf(services: Services, directory: Directory, person: DirectoryPerson): Promise<User | undefined> {
  const { db } = services;
  const { provider } = directory.settings;
  const known =
    (await userByIdentity(db.read, provider, person.dn)) ?? (await linkByAddress(services, directory, person));
  const user = known ?? (person.disabled ? undefined : await create(services, directory, person));
  if (!user) return undefined;
  if ((await primaryProvider(services, db.read, user.id)) !== provider) return person.disabled ? undefined : user;
  await syncEmail(services, user, person);
  return reconcileState(services, user.id, !person.disabled);
}

/** Updates the e-mail address of an account from the directory. */
export async function syncEmail(services: Services, user: User, person: DirectoryPerson): Promise<void> {
  const { db, log } = services;
  const { email, dn } = person;
  if (email === undefined || same(user.email, email)) return;
  await db.write(async (trx) => {
    const present = await lockRow(trx, 'users', user.id);
    const changed = present && (await replaceEmail(services, trx, present, email));
    if (changed && !same(changed.email, email))
      log.warn({ dn }, 'the e-mail address from the directory is already in use');
  });
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

/**
 * Links an existing account with the same e-mail address: if its former DN no longer exists, or if the settings allow
 * linking by e-mail.
 */
async function linkByAddress(
  services: Services,
  directory: Directory,
  { dn, email }: DirectoryPerson,
): Promise<User | undefined> {
  const { db, log } = services;
  const { provider, linkByEmail } = directory.settings;
  const user = email === undefined ? undefined : await userByEmail(db.read, email);
  if (user?.kind !== 'human') return undefined;
  const own = (await identitiesOf(db.read, [user.id])).get(user.id) ?? [];
  const former = own.find((identity) => identity.provider === provider);
  // Users who can set their own e-mail address in the directory must not take over the account that already has it.
  const free = former === undefined ? linkByEmail : await hasLeft(directory, former.extern_uid);
  if (!free) {
    log.warn({ user: user.id, dn }, 'an account with this e-mail address exists but is not linked to the directory');
    return undefined;
  }
  await db.write((trx) => setIdentity(services, trx, user.id, provider, dn, user));
  return user;
}

async function hasLeft(directory: Directory, dn: string): Promise<boolean> {
  const request = { base: dn, scope: 'base' as const, filter: '(objectClass=*)', attributes: ['1.1'] };
  const entry = await directory.use((session) => session.first(request));
  return entry === undefined;
}

async function create(services: Services, directory: Directory, person: DirectoryPerson): Promise<User | undefined> {
  const { provider } = directory.settings;
  const { dn, email, name } = person;
  if (email === undefined) {
    services.log.warn({ dn }, 'a directory user without an e-mail address tried to sign in');
    return undefined;
  }
  const username = usernameFrom(person.login);
  return createForIdentity(services, { email, name, username, skip_confirmation: true, provider, extern_uid: dn });
}

/** Blocks an account that is no longer present in the directory, or unblocks one that is again. */
export async function reconcileState(services: Services, id: number, present: boolean): Promise<User | undefined> {
  return services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) return undefined;
    if (present && user.state === 'ldap_blocked') return setState(services, trx, user, 'active');
    const usable = user.state === 'active' || user.state === 'deactivated';
    if (!present && usable) return setState(services, trx, user, 'ldap_blocked');
    return user;
  });
}
