import { type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { requiresFactor } from '../../access/credentials/second-factor-enforcement.ts';
import { Role } from '../../access/roles.ts';
import type { Namespace } from '../../access/tables.ts';
import { namespacesOf } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

/** The widest visibility of the projects and groups directly inside a group. */
export async function widestInside(
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

/** Is there a group of this name beside it? Top-level groups may share names. */
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

/** How many groups are above one in it, itself included. */
export async function levelsAbove(db: Reader, id: number): Promise<number> {
  const { count } = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many levels of groups hang below one. */
export async function levelsBelow(db: Reader, id: number): Promise<number> {
  const { depth } = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where('ancestor_id', '=', id)
    .executeTakeFirstOrThrow();
  return depth ?? 0;
}

/** Is a group above this one archived? */
export async function archivedAbove(db: Reader, id: number): Promise<boolean> {
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

/** Is this group, or one above it, marked for deletion? */
export async function markedAbove(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('a.namespace_id', '=', id)
    .where('n.marked_for_deletion_at', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Is the project in the group, or below it? */
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

/** Of these groups, those that are archived or lie below one that is. */
export async function archivedOf(db: Reader, ids: readonly number[]): Promise<Set<number>> {
  return new Set((await archivedAmong.all(db, { ids })).map((row) => row.id));
}

/** The row as it is now. */
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

/** The groups below one that ask for a second factor, by the index of those that do. */
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
    .where(sql<SqlBool>`id in (${namespacesOf(param('user'), Role.owner, param('now'))})`),
);

/** Of these groups, those in which the actor has the rights of an Owner. */
export async function ownedAmong(db: Reader, actor: Actor, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (isAdmin(actor)) return new Set(ids);
  if (actor.user === null || ids.length === 0) return new Set();
  return new Set((await ownedBy.all(db, { ids, user: actor.user.id, now: Date.now() })).map((row) => row.id));
}
