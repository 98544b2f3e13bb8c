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

/** Lets people sign in with their accounts of the directories that the settings name. */
export function passwordDirectories(services: Services): PasswordDirectory[] {
  return services.directories.map((directory) => ({
    owns: async (db, user) => (await primaryProvider(services, db, user.id)) === directory.settings.provider,
    check: async (attempt) => {
      try {
        const person = await prove(services, directory, attempt);
        return person && (await accountOf(services, directory, person));
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        const { provider } = directory.settings;
        services.log.error({ provider, err: error }, 'the directory does not answer: its people cannot sign in');
        return undefined;
      }
    },
  }));
}

/** The directory that says what becomes of an account: of several, the one it was linked to first. */
async function primaryProvider({ directories }: Services, db: Reader, userId: number): Promise<string | undefined> {
  const own = (await identitiesOf(db, [userId])).get(userId) ?? [];
  return own.find(({ provider }) => directories.some(({ settings }) => settings.provider === provider))?.provider;
}

/** Whom the directory says this is; undefined where it knows nobody with this name and password. */
async function prove(
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
    if (another) log.warn({ provider, login }, 'the directory has several people of this name: none of them is let in');
    if (!entry || another || !(await session.proves(entry.dn, password))) return undefined;
    return readPerson(entry, uid);
  });
}

/** The account of somebody who has proven who they are. */
async function accountOf(services: Services, directory: Directory, person: DirectoryPerson): Promise<User | undefined> {
  const { db } = services;
  const { provider } = directory.settings;
  const known = (await userByIdentity(db.read, provider, person.dn)) ?? (await adopt(services, directory, person));
  const user = known ?? (person.disabled ? undefined : await create(services, directory, person));
  if (!user) return undefined;
  if ((await primaryProvider(services, db.read, user.id)) !== provider) return person.disabled ? undefined : user;
  await followAddress(services, user, person);
  return reconcileState(services, user.id, !person.disabled);
}

/** The address of an account of the directory is the one that the directory says. */
export async function followAddress(services: Services, user: User, person: DirectoryPerson): Promise<void> {
  const { db, log } = services;
  const { email, dn } = person;
  if (email === undefined || same(user.email, email)) return;
  await db.write(async (trx) => {
    const present = await lockRow(trx, 'users', user.id);
    const changed = present && (await replaceEmail(services, trx, present, email));
    if (changed && !same(changed.email, email)) log.warn({ dn }, 'the address of somebody in the directory is taken');
  });
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

/** An account that was the same person's under another name in the directory, or that the settings let it take over. */
async function adopt(
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
  // Whoever can set their own address in the directory must not get the account of who had it first.
  const free = former === undefined ? linkByEmail : await hasLeft(directory, former.extern_uid);
  if (!free) {
    log.warn({ user: user.id, dn }, 'an account of this address exists, and is not linked to the directory');
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
    services.log.warn({ dn }, 'somebody without an e-mail address in the directory wanted to sign in');
    return undefined;
  }
  const username = usernameFrom(person.login);
  return createForIdentity(services, { email, name, username, skip_confirmation: true, provider, extern_uid: dn });
}

/** Whom the directory has shut out is let in again, or the other way round. */
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
