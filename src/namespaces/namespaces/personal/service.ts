import { moveNamespace } from '../../../access/namespaces/addresses.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { fullProtectionNumber } from '../../groups/public.ts';
import { findPersonalNamespace, insertPersonalNamespace } from './store.ts';

/** Creates the personal namespace of a new human user; bots and the ghost user have none. */
export async function addPersonalNamespace(
  { settings }: Services,
  trx: Writer,
  { user }: { readonly user: User },
): Promise<void> {
  if (user.kind !== 'human') return;
  const { default_branch_protection } = await settings.read();
  // Stored only if it differs from the default.
  const own = default_branch_protection === fullProtectionNumber ? {} : { default_branch_protection };
  await insertPersonalNamespace(trx, user, own);
}

/** Renames the personal namespace when the user's name or username changes. */
export async function renamePersonalNamespace(
  _services: Services,
  trx: Writer,
  { user, changed }: { readonly user: User; readonly changed: ReadonlySet<keyof User> },
): Promise<void> {
  if (!changed.has('username') && !changed.has('name')) return;
  const namespace = await findPersonalNamespace(trx, user.id);
  if (namespace) await moveNamespace(trx, namespace, { path: user.username, name: user.name, parent: null });
}
