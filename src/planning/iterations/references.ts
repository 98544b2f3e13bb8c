import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { type ReferenceResolver, type ResolvedReference, referenceKey } from '../markdown/public.ts';
import { groupPaths, iterationsNamed } from './store.ts';

/**
 * Resolves `*iteration:1` by ID and `*iteration:"name"` by title, among iterations of the project's ancestor groups.
 */
export const iterationReferences: ReferenceResolver = {
  types: ['iteration'],
  resolve: async ({ db }, place, references) => {
    const found = new Map<string, ResolvedReference>();
    const { project } = place;
    if (project?.namespace.kind !== 'group' || !project.can('read_iteration')) return found;
    const named = references.flatMap((reference) => (reference.type === 'iteration' ? [reference] : []));
    const groups = await selfAndAncestorIds(db.read, project.namespace.id);
    const rows = await iterationsNamed(
      db.read,
      groups,
      named.map(({ name }) => name),
    );
    const paths = await groupPaths(
      db.read,
      rows.map(({ namespace_id }) => namespace_id),
    );
    for (const reference of named) {
      const row = rows.find(({ id, title }) => String(id) === reference.name || title === reference.name);
      if (!row) continue;
      found.set(referenceKey(reference), {
        href: `${place.webPath(`groups/${paths.get(row.namespace_id)}`)}/-/iterations/${row.id}`,
        text: `*iteration:${row.id}`,
        title: row.title ?? `${row.start_date} - ${row.due_date}`,
        id: row.id,
        groupId: row.namespace_id,
      });
    }
    return found;
  },
};
