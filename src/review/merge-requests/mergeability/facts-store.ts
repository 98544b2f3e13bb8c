import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const unresolved = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('notes')
    .select('noteable_id')
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', 'in', param.ids('ids'))
    .where('system', '=', 0)
    .where('type', 'is not', null)
    .where('resolved_at', 'is', null),
);

/** Of these merge requests, those with a thread that nobody has resolved. */
export async function withOpenThreads(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = ids.length === 0 ? [] : await unresolved.all(db, { ids });
  return new Set(rows.flatMap(({ noteable_id }) => noteable_id ?? []));
}

const above = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select(['a.namespace_id', 'n.settings'])
    .where('a.namespace_id', 'in', param.ids('ids')),
);

/** What the groups around some namespaces have set, by the number of the namespace. */
export async function settingsAround(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await above.all(db, { ids: [...new Set(ids)] });
  return Map.groupBy(rows, ({ namespace_id }) => namespace_id);
}
