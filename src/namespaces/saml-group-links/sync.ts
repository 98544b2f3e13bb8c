import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Writer } from '../../platform/database/database.ts';
import { noDirectoryRole, setProviderRole } from '../members/public.ts';
import { linkedRoles, type RoleInGroup, rolesFor } from './store.ts';

const namesAtOnce = 500;

/**
 * Gives a user who signs in the roles of their SAML groups, and takes away those in linked groups that they are no
 * longer entitled to. In the transaction of the sign-in, so that of two sign-ins the later one counts; groups whose
 * roles are right already cost nothing.
 */
export async function syncUser(
  services: Services,
  trx: Writer,
  userId: number,
  provider: string,
  names: readonly string[],
): Promise<void> {
  const wanted = new Map<number, RoleInGroup>();
  for (let at = 0; at < names.length; at += namesAtOnce) {
    for (const link of await rolesFor(trx, provider, names.slice(at, at + namesAtOnce))) {
      if (link.level > (wanted.get(link.group)?.level ?? -1)) wanted.set(link.group, link);
    }
  }
  const present = new Map((await linkedRoles(trx, provider, userId)).map((held) => [held.group, held]));
  const groups = [...new Set([...wanted.keys(), ...present.keys()])].sort((one, other) => one - other);
  for (const id of groups) {
    const { level, role } = wanted.get(id) ?? noDirectoryRole;
    const held = present.get(id);
    if (held?.level === level && held.role === role) continue;
    const group = await findNamespace(trx, id);
    if (group?.kind === 'group') await setProviderRole(services, trx, group, userId, { level, role });
  }
}
