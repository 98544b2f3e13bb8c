import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const unresolved = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_requests')
    .select('id')
    .where('id', 'in', param.ids('ids'))
    // One unresolved note per merge request suffices.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notes')
          .select('notes.id')
          .whereRef('notes.noteable_id', '=', 'merge_requests.id')
          .where('notes.noteable_type', '=', 'MergeRequest')
          .where('notes.system', '=', 0)
          .where('notes.type', 'is not', null)
          .where('notes.resolved_at', 'is', null),
      ),
    ),
);

/** Filters merge requests to those with unresolved threads. */
export async function withOpenThreads(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = ids.length === 0 ? [] : await unresolved.all(db, { ids });
  return new Set(rows.map(({ id }) => id));
}

const above = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select(['a.namespace_id', 'n.settings'])
    .where('a.namespace_id', 'in', param.ids('ids')),
);

/** Settings of namespaces and their ancestors, by namespace ID. */
export async function namespaceSettingsWithAncestors(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await above.all(db, { ids: [...new Set(ids)] });
  return Map.groupBy(rows, ({ namespace_id }) => namespace_id);
}
