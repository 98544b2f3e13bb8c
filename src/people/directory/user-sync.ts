import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Directory, DirectorySession } from '../../platform/directory/directory.ts';
import { changeUser, knownToProvider } from '../users/public.ts';
import { membersByCn } from './groups.ts';
import { personAttributes, readPerson } from './person.ts';
import { followAddress, settleState } from './sign-in.ts';

const usersAtOnce = 200;

/** Whom the directory's groups make administrators and external users; undefined where no group is named. */
interface Marked {
  readonly admins: ReadonlySet<string> | undefined;
  readonly external: ReadonlySet<string> | undefined;
}

/**
 * Looks who of those that signed in by the directory is still there: the others are shut out until they are again. A
 * directory that does not answer ends this with nobody changed whom it did not speak of.
 */
export async function syncUsers(services: Services, directory: Directory, signal: AbortSignal): Promise<void> {
  const { db, config } = services;
  await directory.use(async (session) => {
    const marked = await markedUsers(services, session);
    for (let after = 0; ; ) {
      const users = await knownToProvider(db.read, config.ldapProvider, after, usersAtOnce);
      for (const user of users) {
        signal.throwIfAborted();
        await syncUser(services, session, marked, user);
        after = user.id;
      }
      if (users.length < usersAtOnce) return;
    }
  });
}

async function markedUsers({ config, log }: Services, session: DirectorySession): Promise<Marked> {
  const { ldapAdminGroup: adminGroup, ldapExternalGroups: externalGroups } = config;
  const membersOf = async (cn: string) => {
    const members = await membersByCn(session, config, cn);
    if (!members) log.warn({ cn }, 'a group that the settings name is not in the directory');
    return members;
  };
  const external = new Set<string>();
  for (const cn of externalGroups) for (const dn of (await membersOf(cn)) ?? []) external.add(dn);
  return {
    // A group that is not there makes nobody an administrator, and takes it from nobody.
    admins: adminGroup === undefined ? undefined : await membersOf(adminGroup),
    external: externalGroups.length === 0 ? undefined : external,
  };
}

async function syncUser(
  services: Services,
  session: DirectorySession,
  { admins, external }: Marked,
  user: User & { readonly extern_uid: string },
): Promise<void> {
  const { config, db } = services;
  const filter = config.ldapUserFilter ?? '(objectClass=*)';
  const attributes = personAttributes(config.ldapUid);
  const entry = await session.first({ base: user.extern_uid, scope: 'base', filter, attributes });
  const person = entry && readPerson(entry, config.ldapUid);
  await settleState(services, user.id, person !== undefined && !person.disabled);
  if (person) await followAddress(services, user, person);
  const wanted = {
    ...(admins ? { admin: admins.has(user.extern_uid) ? 1 : 0 } : {}),
    ...(external ? { external: external.has(user.extern_uid) ? 1 : 0 } : {}),
  };
  const differs = Object.entries(wanted).some(([column, value]) => user[column as 'admin' | 'external'] !== value);
  if (!differs) return;
  await db.write(async (trx) => {
    const { extern_uid: _, ...before } = user;
    await changeUser(services, trx, before, wanted);
  });
}
