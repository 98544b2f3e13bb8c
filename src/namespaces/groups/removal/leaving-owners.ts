import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Conflict } from '../../../platform/http/errors.ts';
import { lockOwnedGroups, markForRemoval, solelyOwnedGroups } from './owners-store.ts';
import { removeSoon } from './service.ts';

/**
 * Refuses to delete the last active owner of a group. Locks the groups before checking them, so that of two owners
 * deleted concurrently the second one is recognized as the last.
 */
export async function refuseLastOwner(
  _services: Services,
  trx: Writer,
  { user, forced }: { readonly user: User; readonly forced: boolean },
): Promise<void> {
  await lockOwnedGroups(trx, user.id);
  if (forced || (await solelyOwnedGroups(trx, user.id, { active: true })).length === 0) return;
  throw new Conflict('User cannot be removed while is the sole-owner of a group');
}

/**
 * If the user's contributions are not reassigned, their solely owned groups are marked for deletion and left to the
 * job.
 */
export async function deleteSolelyOwnedGroups(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  if (heir) return;
  for (const { id } of await solelyOwnedGroups(trx, user.id)) {
    await markForRemoval(trx, id);
    await removeSoon(services, trx, id);
  }
}
