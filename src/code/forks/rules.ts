import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

/**
 * Whether the ancestor groups of a project allow forking it to a namespace; some only allow forks within themselves.
 */
export async function mayForkTo(
  db: Reader,
  source: Pick<Project, 'namespace_id'>,
  target: Namespace,
): Promise<boolean> {
  const ancestors = await settingsWithAncestors(db, source.namespace_id);
  const restricting = ancestors.filter(({ settings }) => settings.prevent_forking_outside_group === true);
  if (restricting.length === 0) return true;
  const within = target.kind === 'group' ? await selfAndAncestorIds(db, target.id) : [];
  return restricting.every(({ id }) => within.includes(id));
}
