import { type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { requiresFactor } from '../../access/credentials/second-factor-enforcement.ts';
import { Role } from '../../access/roles.ts';
import type { Namespace } from '../../access/tables.ts';
import { memberNamespaceIds } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

/** Returns the highest visibility levels of a group's direct projects and subgroups. */
export async function highestVisibilityInside(
  db: Reader,
  id: number,
): Promise<{ projects: number | undefined; subgroups: number | undefined }> {
  const projects = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.max('visibility').as('widest'))
    .where('namespace_id', '=', id)
    .executeTakeFirst();
  const subgroups = await db
    .selectFrom('namespaces')
    .select((eb) => eb.fn.max('visibility').as('widest'))
    .where('parent_id', '=', id)
    .executeTakeFirst();
  return { projects: projects?.widest ?? undefined, subgroups: subgroups?.widest ?? undefined };
}

/** Whether a sibling group has the same name. Top-level groups may share names. */
export async function siblingNamed(db: Reader, parentId: number, name: string, except = 0): Promise<boolean> {
  const found = await db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', parentId)
    .where('name', '=', name)
    .where('id', '!=', except)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the depth of a subgroup of this group: the number of its ancestors, including the group itself. */
export async function childDepth(db: Reader, id: number): Promise<number> {
  const { count } = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the number of levels of subgroups below a group. */
export async function subtreeDepth(db: Reader, id: number): Promise<number> {
  const { depth } = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where('ancestor_id', '=', id)
    .executeTakeFirstOrThrow();
  return depth ?? 0;
}

/** Whether the group or one of its ancestors is archived. */
export async function isSelfOrAncestorArchived(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('a.namespace_id', '=', id)
    .where('a.depth', '>', 0)
    .where('n.archived', '=', 1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether the group or one of its ancestors is marked for deletion. */
export async function isSelfOrAncestorMarked(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('a.namespace_id', '=', id)
    .where('n.marked_for_deletion_at', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether the project is in the group hierarchy. */
export async function holdsProject(db: Reader, id: number, projectId: number): Promise<boolean> {
  const found = await db
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .select('p.id')
    .where('p.id', '=', projectId)
    .where('a.ancestor_id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}

const archivedAmong = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('a.namespace_id as id')
    .where('a.namespace_id', 'in', param.ids('ids'))
    .where('n.archived', '=', 1),
);

/** Returns which of these groups are archived, themselves or through an ancestor. */
export async function findArchived(db: Reader, ids: readonly number[]): Promise<Set<number>> {
  return new Set((await archivedAmong.all(db, { ids })).map((row) => row.id));
}

/** Returns the current row. */
export function groupRow(db: Reader, id: number): Promise<Namespace> {
  return db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export function updateGroupRow(trx: Writer, id: number, change: Partial<Namespace>): Promise<Namespace> {
  return trx
    .updateTable('namespaces')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns the descendant groups that require two-factor authentication, using a partial index. */
export function groupsRequiringFactor(trx: Writer, above: number): Promise<Namespace[]> {
  return trx
    .selectFrom('namespaces as n')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'n.id')
    .selectAll('n')
    .where('a.ancestor_id', '=', above)
    .where('n.id', '<>', above)
    .where(requiresFactor)
    .execute();
}

type Owned = { ids: readonly number[]; user: number; now: number };

const ownedBy = statement((db, param: Param<Owned>) =>
  db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', param.ids('ids'))
    .where(sql<SqlBool>`id in (${memberNamespaceIds(param('user'), Role.owner, param('now'))})`),
);

/** Returns which of these groups the actor owns. */
export async function ownedAmong(db: Reader, actor: Actor, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (isAdmin(actor)) return new Set(ids);
  if (actor.user === null || ids.length === 0) return new Set();
  return new Set((await ownedBy.all(db, { ids, user: actor.user.id, now: Date.now() })).map((row) => row.id));
}
