import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Directory, DirectorySession, DirectorySettings } from '../../platform/directory/directory.ts';
import { changeUser, knownToProvider } from '../users/public.ts';
import { membersByCn } from './groups.ts';
import { personAttributes, readPerson } from './person.ts';
import { reconcileState, syncEmail } from './sign-in.ts';

const usersAtOnce = 200;

/** Users made administrators or external by directory groups; undefined if no group is configured. */
interface Marked {
  readonly admins: ReadonlySet<string> | undefined;
  readonly external: ReadonlySet<string> | undefined;
}

/** Synchronizes each directory in turn; a failing one does not prevent the others. */
export async function syncAllUsers(services: Services, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const directory of services.directories) {
    try {
      await syncUsers(services, directory, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not all directories could be synchronized');
}

/**
 * Checks for each user of a directory whether it still has them, and blocks the others until they reappear. If the
 * directory fails, users not yet checked are left unchanged.
 */
export async function syncUsers(services: Services, directory: Directory, signal: AbortSignal): Promise<void> {
  const { db } = services;
  const providers = services.directories.map(({ settings }) => settings.provider);
  const { settings } = directory;
  await directory.use(async (session) => {
    const marked = await markedUsers(services, settings, session);
    for (let after = 0; ; ) {
      const users = await knownToProvider(db.read, settings.provider, providers, after, usersAtOnce);
      for (const user of users) {
        signal.throwIfAborted();
        await syncUser(services, settings, session, marked, user);
        after = user.id;
      }
      if (users.length < usersAtOnce) return;
    }
  });
}

async function markedUsers({ log }: Services, settings: DirectorySettings, session: DirectorySession): Promise<Marked> {
  const { provider, adminGroup, externalGroups } = settings;
  const membersOf = async (cn: string) => {
    const members = await membersByCn(session, settings, cn);
    if (!members) log.warn({ provider, cn }, 'a configured group was not found in the directory');
    return members;
  };
  const external = new Set<string>();
  for (const cn of externalGroups) for (const dn of (await membersOf(cn)) ?? []) external.add(dn);
  return {
    // If the group does not exist, administrator flags are left unchanged.
    admins: adminGroup === undefined ? undefined : await membersOf(adminGroup),
    external: externalGroups.length === 0 ? undefined : external,
  };
}

async function syncUser(
  services: Services,
  { uid, userFilter }: DirectorySettings,
  session: DirectorySession,
  { admins, external }: Marked,
  user: User & { readonly extern_uid: string },
): Promise<void> {
  const { db } = services;
  const filter = userFilter ?? '(objectClass=*)';
  const attributes = personAttributes(uid);
  const entry = await session.first({ base: user.extern_uid, scope: 'base', filter, attributes });
  const person = entry && readPerson(entry, uid);
  await reconcileState(services, user.id, person !== undefined && !person.disabled);
  if (person) await syncEmail(services, user, person);
  const flags = {
    ...(admins ? { admin: admins.has(user.extern_uid) ? 1 : 0 } : {}),
    ...(external ? { external: external.has(user.extern_uid) ? 1 : 0 } : {}),
  };
  const differs = Object.entries(flags).some(([column, value]) => user[column as 'admin' | 'external'] !== value);
  if (!differs) return;
  await db.write(async (trx) => {
    const { extern_uid: _, ...before } = user;
    await changeUser(services, trx, before, flags);
  });
}
