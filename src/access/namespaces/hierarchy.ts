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

/** The number of the group at the top of a tree, or of the namespace itself where it is no group. */
export async function rootOf(db: Reader, id: number): Promise<number> {
  return (await top.first(db, { id }))?.ancestor_id ?? id;
}

/** The numbers of a namespace and of those above it. */
export async function ancestorsOf(db: Reader, id: number): Promise<number[]> {
  return (await above.all(db, { id })).map((row) => row.ancestor_id);
}

/** The groups that what moves from one namespace to another is no longer below. */
export async function ancestorsLost(db: Reader, from: number, to: number): Promise<number[]> {
  const kept = await ancestorsOf(db, to);
  return (await ancestorsOf(db, from)).filter((id) => !kept.includes(id));
}

/** The numbers of a namespace and of those below it. */
export async function descendantsOf(db: Reader, id: number): Promise<number[]> {
  return (await below.all(db, { id })).map((row) => row.namespace_id);
}

/**
 * The namespace as it is now, kept so until the transaction ends: for rules that compare it with rows elsewhere (its
 * last owner, the visibility of what it holds), which two transactions could otherwise break together.
 */
export function holdNamespace(trx: Writer, id: number): Promise<Namespace | undefined> {
  return lockRow(trx, 'namespaces', id);
}

/**
 * Keeps the tree of groups as it is until the transaction ends: for whoever adds a group below another, moves, renames
 * or removes one, before anything else. Each of them works with all that is above or below, which no lock of single rows
 * covers: of two moves into one another's subgroups, each would see the tree as it was, and together they close a circle.
 */
export function holdTree(trx: Writer): Promise<void> {
  return acquireLock(trx, 'tree of groups');
}
