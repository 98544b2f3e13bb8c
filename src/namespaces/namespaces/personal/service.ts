import { moveNamespace } from '../../../access/namespaces/addresses.ts';
import { fullProtection, protectionIn } from '../../../access/namespaces/branch-protection.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { findPersonalNamespace, insertPersonalNamespace } from './store.ts';

/** Creates the personal namespace of a new human user; bots and the ghost user have none. */
export async function addPersonalNamespace(
  { settings }: Services,
  trx: Writer,
  { user }: { readonly user: User },
): Promise<void> {
  if (user.kind !== 'human') return;
  const instance = await settings.read();
  const { default_branch_protection } = instance;
  const default_branch_protection_defaults = protectionIn(instance);
  // Stored only if they differ from the default.
  const isDefault = JSON.stringify(default_branch_protection_defaults) === JSON.stringify(fullProtection);
  const own = isDefault ? {} : { default_branch_protection, default_branch_protection_defaults };
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
