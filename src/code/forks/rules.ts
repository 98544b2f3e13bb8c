import { ancestorsOf } from '../../access/namespaces/hierarchy.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

/** Do the groups around a project let it be forked to that namespace? Some keep forks among themselves. */
export async function mayForkTo(
  db: Reader,
  source: Pick<Project, 'namespace_id'>,
  target: Namespace,
): Promise<boolean> {
  const around = await settingsAbove(db, source.namespace_id);
  const keeping = around.filter(({ settings }) => settings.prevent_forking_outside_group === true);
  if (keeping.length === 0) return true;
  const within = target.kind === 'group' ? await ancestorsOf(db, target.id) : [];
  return keeping.every(({ id }) => within.includes(id));
}
