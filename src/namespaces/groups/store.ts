import { Role } from '../../access/roles.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';

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

export async function updateGroupRow(trx: Writer, id: number, change: Partial<Namespace>): Promise<void> {
  await trx
    .updateTable('namespaces')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .execute();
}

/** Makes someone an Owner of a group. */
export async function addOwner(trx: Writer, id: number, user: number): Promise<void> {
  const member = { user_id: user, namespace_id: id, project_id: null, access_level: Role.owner, expires_at: null };
  await trx
    .insertInto('members')
    .values({ ...member, created_by_id: user, created_at: Date.now() })
    .execute();
}

/** Gives a group that has none an Owner of its own. */
export async function ensureOwner(trx: Writer, id: number, user: number): Promise<void> {
  const owner = await trx
    .selectFrom('members')
    .select('id')
    .where('namespace_id', '=', id)
    .where('access_level', '=', Role.owner)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
    .executeTakeFirst();
  if (owner) return;
  await trx.deleteFrom('members').where('namespace_id', '=', id).where('user_id', '=', user).execute();
  await addOwner(trx, id, user);
}
