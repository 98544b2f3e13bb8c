import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Conflict } from '../../../platform/http/errors.ts';
import { holdOwnedGroups, markForRemoval, solelyOwnedGroups } from './owners-store.ts';
import { removeSoon } from './service.ts';

/**
 * Nobody is removed whose groups would be left without anybody to act for them. The groups are held before they are
 * looked at: of two owners who leave at once, the second is the last one.
 */
export async function keepLastOwner(
  _services: Services,
  trx: Writer,
  { user, forced }: { readonly user: User; readonly forced: boolean },
): Promise<void> {
  await holdOwnedGroups(trx, user.id);
  if (forced || (await solelyOwnedGroups(trx, user.id, { active: true })).length === 0) return;
  throw new Conflict('User cannot be removed while is the sole-owner of a group');
}

/** Where nobody inherits, groups go with their last owner: marked, as whatever is removed, for the job to take. */
export async function removeWithOwner(
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
