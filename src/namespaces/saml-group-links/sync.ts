import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Writer } from '../../platform/database/database.ts';
import { setProviderRole } from '../members/public.ts';
import { levelsFor, linkedRoles } from './store.ts';

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
  const wanted = new Map<number, number>();
  for (let at = 0; at < names.length; at += namesAtOnce) {
    for (const { group, level } of await levelsFor(trx, provider, names.slice(at, at + namesAtOnce))) {
      wanted.set(group, Math.max(wanted.get(group) ?? 0, level));
    }
  }
  const present = new Map((await linkedRoles(trx, provider, userId)).map(({ group, level }) => [group, level]));
  const groups = [...new Set([...wanted.keys(), ...present.keys()])].map(Number).sort((one, other) => one - other);
  for (const id of groups) {
    const level = wanted.get(id) ?? 0;
    if (present.get(id) === level) continue;
    const group = await findNamespace(trx, id);
    if (group?.kind === 'group') await setProviderRole(services, trx, group, userId, level);
  }
}
