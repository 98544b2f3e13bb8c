import type { Reader, Writer } from '../../platform/database/database.ts';
import { acquireLock, lockRow } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Namespace } from '../tables.ts';

const above = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', param('id')),
);
const below = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', param('id')),
);

const top = statement((db, param: Param<{ id: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('a.ancestor_id')
    .where('a.namespace_id', '=', param('id'))
    .where('n.parent_id', 'is', null),
);

/** The id of the top-level group; that of the namespace itself if it is a user's. */
export async function rootNamespaceId(db: Reader, id: number): Promise<number> {
  return (await top.first(db, { id }))?.ancestor_id ?? id;
}

/** The ids of a namespace and its ancestors. */
export async function selfAndAncestorIds(db: Reader, id: number): Promise<number[]> {
  return (await above.all(db, { id })).map((row) => row.ancestor_id);
}

/** The ancestors of one namespace that are not ancestors of another, when something moves between them. */
export async function ancestorsLost(db: Reader, from: number, to: number): Promise<number[]> {
  const remaining = await selfAndAncestorIds(db, to);
  return (await selfAndAncestorIds(db, from)).filter((id) => !remaining.includes(id));
}

/** The ids of a namespace and its descendants. */
export async function selfAndDescendantIds(db: Reader, id: number): Promise<number[]> {
  return (await below.all(db, { id })).map((row) => row.namespace_id);
}

/**
 * Reads and locks a namespace until the transaction ends, for rules that compare it with other rows (its last owner,
 * the visibility of its contents), which two concurrent transactions could otherwise break together.
 */
export function lockNamespaceRow(trx: Writer, id: number): Promise<Namespace | undefined> {
  return lockRow(trx, 'namespaces', id);
}

/**
 * Locks the group hierarchy until the transaction ends. Must be the first step of adding a group below another, and of
 * moving, renaming or removing one. These operations use all ancestors or descendants, which row locks do not cover:
 * two concurrent moves into each other's subgroups would each see the old hierarchy and together create a cycle.
 */
export function lockHierarchy(trx: Writer): Promise<void> {
  return acquireLock(trx, 'tree of groups');
}
