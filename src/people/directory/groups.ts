import type { DirectoryEntry, DirectorySession, DirectorySettings } from '../../platform/directory/directory.ts';
import { isBelow, normalizeDn } from '../../platform/directory/dn.ts';
import { allOf, equals } from '../../platform/directory/filter.ts';

type Settings = Pick<DirectorySettings, 'base' | 'groupBase' | 'uid' | 'userFilter' | 'activeDirectory'>;

const memberAttributes = ['member', 'uniqueMember', 'submember', 'memberUid'];
const maxCns = 20;

/** Returns the names of groups with this prefix, limited to a reasonable number to choose from. */
export async function groupNames(session: DirectorySession, settings: Settings, search: string): Promise<string[]> {
  if (settings.groupBase === undefined) return [];
  const filter = search === '' ? '(cn=*)' : `${equals('cn', search).slice(0, -1)}*)`;
  const request = { base: settings.groupBase, scope: 'sub' as const, filter, attributes: ['cn'], most: maxCns };
  const names: string[] = [];
  for await (const { attributes } of session.search(request)) names.push(...(attributes.get('cn') ?? []).slice(0, 1));
  return names;
}

/** Returns the normalized DNs of the members of the group with this CN; undefined if there is no such group. */
export async function membersByCn(
  session: DirectorySession,
  settings: Settings,
  cn: string,
): Promise<Set<string> | undefined> {
  const group = await findGroup(session, settings, equals('cn', cn));
  if (!group) return undefined;
  const members = new Set<string>();
  const visited = new Set<string>();
  const waiting = [group];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const dn = normalizeDn(next.dn);
    // Cyclic group memberships would never end.
    if (dn === undefined || visited.has(dn)) continue;
    visited.add(dn);
    for (const member of await membersOf(session, settings, next)) members.add(member);
    if (settings.activeDirectory) waiting.push(...(await groupsInside(session, settings, next.dn)));
  }
  if (!settings.activeDirectory) return members;
  const base = normalizeDn(settings.base);
  // Nested groups are listed as members too and are removed here.
  return new Set([...members].filter((dn) => !visited.has(dn) && (base === undefined || isBelow(dn, base))));
}

/** Returns the normalized DNs of the entries matching a filter. */
export async function membersByFilter(
  session: DirectorySession,
  settings: Settings,
  filter: string,
): Promise<Set<string>> {
  const members = new Set<string>();
  const request = { base: settings.base, scope: 'sub' as const, filter, attributes: ['1.1'] };
  for await (const { dn } of session.search(request)) {
    const normal = normalizeDn(dn);
    if (normal !== undefined) members.add(normal);
  }
  return members;
}

async function findGroup(session: DirectorySession, { groupBase }: Settings, filter: string) {
  if (groupBase === undefined) return undefined;
  return session.first({ base: groupBase, scope: 'sub', filter, attributes: memberAttributes });
}

async function groupsInside(session: DirectorySession, { groupBase }: Settings, parent: string) {
  const inside: DirectoryEntry[] = [];
  if (groupBase === undefined) return inside;
  const filter = allOf('(objectClass=group)', equals('memberOf', parent));
  const request = { base: groupBase, scope: 'sub' as const, filter, attributes: memberAttributes };
  for await (const entry of session.search(request)) inside.push(entry);
  return inside;
}

/** Returns the members of a group entry: by DN, otherwise by login. */
async function membersOf(session: DirectorySession, settings: Settings, group: DirectoryEntry): Promise<string[]> {
  const named = ['member', 'uniquemember', 'submember'].flatMap((attribute) => group.attributes.get(attribute) ?? []);
  const ranged = await rangedMembers(session, group);
  const dns: string[] = [];
  const logins: string[] = named.length + ranged.length === 0 ? [...(group.attributes.get('memberuid') ?? [])] : [];
  for (const value of [...named, ...ranged]) {
    // A DN may be followed by the bits of a unique identifier, as in `uid=x,dc=y#'0101'B`.
    const dn = normalizeDn(value.replace(/#'[01]*'B$/, ''));
    const alone = dn !== undefined && !dn.includes(',') && /^uid=(.*)$/.exec(dn)?.[1];
    if (alone) logins.push(alone);
    else if (dn !== undefined) dns.push(dn);
  }
  for (const login of logins) {
    const filter = allOf(equals(settings.uid, login), settings.userFilter);
    const entry = await session.first({ base: settings.base, scope: 'sub', filter, attributes: ['1.1'] });
    const dn = entry && normalizeDn(entry.dn);
    if (dn !== undefined) dns.push(dn);
  }
  return dns;
}

/** Active Directory returns large groups in ranges, each as a separate attribute: `member;range=0-1499`. */
async function rangedMembers(session: DirectorySession, group: DirectoryEntry): Promise<string[]> {
  const values: string[] = [];
  let entry: DirectoryEntry | undefined = group;
  while (entry) {
    const [name, piece] = [...entry.attributes].find(([key]) => key.startsWith('member;range=')) ?? [];
    if (name === undefined || piece === undefined) return values;
    values.push(...piece);
    const last = /-(\d+)$/.exec(name)?.[1];
    if (last === undefined || piece.length === 0) return values;
    const attributes = [`member;range=${Number(last) + 1}-*`];
    entry = await session.first({ base: group.dn, scope: 'base', filter: '(objectClass=*)', attributes });
  }
  return values;
}
