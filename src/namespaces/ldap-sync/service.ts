import type { Services } from '../../access/services.ts';
import { namespaceById } from '../../access/subject-queries.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { groupNames, membersByCn, membersByFilter } from '../../people/directory/public.ts';
import { usersByIdentity } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { type Directory, type DirectorySession, DirectoryUnavailable } from '../../platform/directory/directory.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { linkedGroups, linksOf } from '../ldap-group-links/public.ts';
import { setDirectoryRoles } from '../members/public.ts';
import { putSync, syncOf } from './store.ts';

const longestRun = 3_600_000;
const groupsAtOnce = 200;
const identitiesAtOnce = 500;

/** Asks for a group to be synchronized; while one waits or runs, no second is asked for. */
export async function requestSync(services: Services, trx: Writer, groupId: number): Promise<void> {
  if (!(await lockRow(trx, 'namespaces', groupId))) return;
  const present = await syncOf(trx, groupId);
  const running = present?.status === 'started' && (present.last_sync_at ?? 0) > Date.now() - longestRun;
  if (present?.status === 'pending' || running) return;
  if (present?.status === 'started') {
    const error = 'The sync took too long to complete.';
    await putSync(trx, groupId, { status: 'failed', error, last_update_at: Date.now() });
  }
  await putSync(trx, groupId, { status: 'pending' });
  await services.queue.enqueue(trx, 'ldap.sync-group', { groupId }, { dedupeKey: String(groupId) });
}

/** `POST /groups/:id/ldap_sync`. */
export async function syncSoon(services: Services, { group }: GroupSubject): Promise<number> {
  refuseWithoutGroups(services);
  await services.db.write((trx) => requestSync(services, trx, group.id));
  return 202;
}

/** Without a directory, or without groups in it, there is nothing to synchronize with. */
export function refuseWithoutGroups({ directory, config }: Services): void {
  if (directory === undefined || config.ldapGroupBase === undefined) throw new NotFound();
}

/** Every linked group, one job each. */
export async function requestAll(services: Services, signal: AbortSignal): Promise<void> {
  const { db, config } = services;
  for (let after = 0; ; ) {
    const groups = await linkedGroups(db.read, config.ldapProvider, after, groupsAtOnce);
    for (const id of groups) await db.write((trx) => requestSync(services, trx, id));
    if (groups.length < groupsAtOnce) return;
    after = groups.at(-1) ?? after;
    signal.throwIfAborted();
  }
}

/** Makes the members of a group those that the directory names. Where it does not answer, nobody is changed. */
export async function syncGroup(services: Services, directory: Directory, groupId: number): Promise<void> {
  const { db, log } = services;
  const group = await namespaceById.first(db.read, { id: groupId });
  if (group?.kind !== 'group') return;
  const startedAt = Date.now();
  await db.write((trx) => putSync(trx, groupId, { status: 'started', last_sync_at: startedAt }));
  try {
    const wanted = await directory.use((session) => wantedRoles(services, session, groupId));
    if (wanted !== undefined) await setDirectoryRoles(services, group, wanted);
    const now = Date.now();
    const done = { error: null, last_update_at: now, last_successful_update_at: now };
    await db.write((trx) => putSync(trx, groupId, { status: 'ready', ...done }));
  } catch (error) {
    const message = error instanceof DirectoryUnavailable ? `Connection error: ${error.message}` : 'Unknown error';
    await db.write((trx) => putSync(trx, groupId, { status: 'failed', error: message, last_update_at: Date.now() }));
    if (!(error instanceof DirectoryUnavailable)) throw error;
    log.warn({ group: groupId, err: error }, 'a group could not be synchronized with the directory');
  }
}

/** The role that each user is to have by the links; undefined where there are no links, and so nothing is said. */
async function wantedRoles(
  { db, config, log }: Services,
  session: DirectorySession,
  groupId: number,
): Promise<Map<number, number> | undefined> {
  const all = (await linksOf(db.read, [groupId])).get(groupId) ?? [];
  const links = all.filter((link) => link.provider === config.ldapProvider);
  if (links.length === 0) return undefined;
  const levels = new Map<string, number>();
  for (const { cn, filter, group_access } of links) {
    const members =
      cn === null ? await membersByFilter(session, config, `${filter}`) : await membersByCn(session, config, cn);
    if (!members) log.warn({ group: groupId, cn }, 'a linked group is not in the directory');
    for (const dn of members ?? []) levels.set(dn, Math.max(levels.get(dn) ?? 0, group_access));
  }
  const wanted = new Map<number, number>();
  const dns = [...levels.keys()];
  for (let at = 0; at < dns.length; at += identitiesAtOnce) {
    const known = await usersByIdentity(db.read, config.ldapProvider, dns.slice(at, at + identitiesAtOnce));
    for (const [dn, user] of known) wanted.set(user, levels.get(dn) ?? 0);
  }
  return wanted;
}

/** Groups of the directory to choose from. */
export async function listDirectoryGroups(
  services: Services,
  search = '',
  provider?: string,
): Promise<{ cn: string }[]> {
  const { directory, config } = services;
  if (!directory || (provider !== undefined && provider !== config.ldapProvider)) throw new NotFound();
  const names = await directory.use((session) => groupNames(session, config, search));
  return names.map((cn) => ({ cn }));
}
