import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { groupNames, membersByCn, membersByFilter } from '../../people/directory/public.ts';
import { usersByIdentity } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { type Directory, type DirectorySession, DirectoryUnavailable } from '../../platform/directory/directory.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { type LdapGroupLinkRow, linkedGroups, linksOf } from '../ldap-group-links/public.ts';
import { type DirectoryRole, noDirectoryRole, setDirectoryRoles } from '../members/public.ts';
import { putSync, syncOf } from './store.ts';

const longestRun = 3_600_000;
const groupsAtOnce = 200;
const identitiesAtOnce = 500;

/**
 * Requests a sync of a group. A pending sync is not requested twice. A running one may already have read its links, so
 * a request meanwhile makes it run again when it ends.
 */
export async function requestSync(services: Services, trx: Writer, groupId: number): Promise<void> {
  if (!(await lockRow(trx, 'namespaces', groupId))) return;
  const present = await syncOf(trx, groupId);
  if (present?.status === 'pending') return;
  const started = present?.status === 'started';
  const running = started && (present.last_sync_at ?? 0) > Date.now() - longestRun;
  const overdue = started && !running && { error: 'The sync took too long to complete.', last_update_at: Date.now() };
  await putSync(trx, groupId, { status: 'pending', ...overdue });
  if (!running) await enqueueSync(services, trx, groupId);
}

function enqueueSync({ queue }: Services, trx: Writer, groupId: number): Promise<unknown> {
  return queue.enqueue(trx, 'ldap.sync-group', { groupId }, { dedupeKey: String(groupId) });
}

export async function scheduleSync(services: Services, { group }: GroupSubject): Promise<number> {
  requireDirectoryGroups(services);
  await services.db.write((trx) => requestSync(services, trx, group.id));
  return 202;
}

/** Without a directory that has groups there is nothing to synchronize with. */
export function requireDirectoryGroups({ directories }: Services): void {
  if (!directories.some(({ settings }) => settings.groupBase !== undefined)) throw new NotFound();
}

/** Requests a sync of every linked group, one job each. */
export async function requestAllSyncs(services: Services, signal: AbortSignal): Promise<void> {
  const { db } = services;
  const providers = providersOf(services);
  for (let after = 0; ; ) {
    const groups = await linkedGroups(db.read, providers, after, groupsAtOnce);
    for (const id of groups) await db.write((trx) => requestSync(services, trx, id));
    if (groups.length < groupsAtOnce) return;
    after = groups.at(-1) ?? after;
    signal.throwIfAborted();
  }
}

const providersOf = ({ directories }: Services) => directories.map(({ settings }) => settings.provider);

/**
 * Synchronizes the members of a group with its directories. If a directory does not respond, its members are left
 * unchanged.
 */
export async function syncGroup(services: Services, groupId: number): Promise<void> {
  const { db } = services;
  const group = await findNamespace(db.read, groupId);
  if (group?.kind !== 'group') return;
  await db.write((trx) => putSync(trx, groupId, { status: 'started', last_sync_at: Date.now() }));
  try {
    const failure = await followDirectories(services, group);
    await endSync(services, groupId, failure ? `Connection error: ${failure.message}` : null);
  } catch (error) {
    await endSync(services, groupId, 'Unknown error');
    throw error;
  }
}

/** Records the result of a run, and starts another if one was requested meanwhile. */
async function endSync(services: Services, groupId: number, error: string | null): Promise<void> {
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'namespaces', groupId))) return;
    const askedAgain = (await syncOf(trx, groupId))?.status === 'pending';
    const now = Date.now();
    await putSync(trx, groupId, {
      status: askedAgain ? 'pending' : error === null ? 'ready' : 'failed',
      error,
      last_update_at: now,
      ...(error === null && { last_successful_update_at: now }),
    });
    if (askedAgain) await enqueueSync(services, trx, groupId);
  });
}

/**
 * Synchronizes with each directory in turn. Returns the failure of one that did not respond, after all have been tried.
 */
async function followDirectories(services: Services, group: Namespace): Promise<DirectoryUnavailable | undefined> {
  let failure: DirectoryUnavailable | undefined;
  const links = (await linksOf(services.db.read, [group.id])).get(group.id) ?? [];
  for (const directory of services.directories) {
    const { provider } = directory.settings;
    const own = links.filter((link) => link.provider === provider);
    if (own.length === 0) continue;
    try {
      const roles = await directory.use((session) => wantedRoles(services, directory, session, own));
      await setDirectoryRoles(services, group, provider, roles);
    } catch (error) {
      if (!(error instanceof DirectoryUnavailable)) throw error;
      const about = { group: group.id, provider, err: error };
      services.log.warn(about, 'a group could not be synchronized with the directory');
      failure ??= error;
    }
  }
  return failure;
}

/** Returns the role of each user according to the links to a directory. */
async function wantedRoles(
  services: Services,
  { settings }: Directory,
  session: DirectorySession,
  links: readonly LdapGroupLinkRow[],
): Promise<Map<number, DirectoryRole>> {
  const { db, log } = services;
  const { provider } = settings;
  const wanted = new Map<string, DirectoryRole>();
  for (const { namespace_id: group, cn, filter, group_access: level, member_role_id: role } of links) {
    const members =
      cn === null ? await membersByFilter(session, settings, `${filter}`) : await membersByCn(session, settings, cn);
    if (!members) log.warn({ group, provider, cn }, 'a linked group was not found in the directory');
    // Of links to the same level, the first counts.
    for (const dn of members ?? []) if (level > (wanted.get(dn)?.level ?? -1)) wanted.set(dn, { level, role });
  }
  const roles = new Map<number, DirectoryRole>();
  const dns = [...wanted.keys()];
  for (let at = 0; at < dns.length; at += identitiesAtOnce) {
    const some = dns.slice(at, at + identitiesAtOnce);
    const known = await usersByIdentity(db.read, provider, providersOf(services), some);
    for (const [dn, user] of known) roles.set(user, wanted.get(dn) ?? noDirectoryRole);
  }
  return roles;
}

/** Lists LDAP groups that can be linked. */
export async function listDirectoryGroups(
  services: Services,
  search = '',
  provider?: string,
): Promise<{ cn: string }[]> {
  const { directories } = services;
  const directory = directories.find(({ settings }) => provider === undefined || settings.provider === provider);
  if (!directory) throw new NotFound();
  try {
    const names = await directory.use((session) => groupNames(session, directory.settings, search));
    return names.map((cn) => ({ cn }));
  } catch (error) {
    // An empty list is enough for the caller; the reason is logged.
    if (!(error instanceof DirectoryUnavailable)) throw error;
    services.log.warn({ provider: directory.settings.provider, err: error }, 'the directory did not return its groups');
    return [];
  }
}
