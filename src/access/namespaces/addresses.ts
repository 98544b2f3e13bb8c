import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Namespace, NamespacesTable } from '../tables.ts';

/** Whether a path is in use. Redirects do not count: a new owner of the path replaces them. */
export async function isPathTaken(db: Reader, fullPath: string): Promise<boolean> {
  const route = await db
    .selectFrom('routes')
    .select('redirect')
    .where('path', '=', fullPath.toLowerCase())
    .executeTakeFirst();
  return route !== undefined && route.redirect === 0;
}

async function claim(
  trx: Writer,
  fullPath: string,
  owner: { namespace_id?: number; project_id?: number },
): Promise<void> {
  const path = fullPath.toLowerCase();
  await trx.deleteFrom('routes').where('path', '=', path).where('redirect', '=', 1).execute();
  const row = { namespace_id: null, project_id: null, ...owner, path, redirect: 0 };
  await trx.insertInto('routes').values(row).execute();
}

export type NewNamespace = Omit<Insertable<NamespacesTable>, 'full_path' | 'full_name'>;

/** Adds a namespace with its route and its place in the hierarchy; the path is unique by constraint. */
export async function insertNamespace(trx: Writer, row: NewNamespace, parent?: Namespace): Promise<Namespace> {
  const full = {
    full_path: parent ? `${parent.full_path}/${row.path}` : row.path,
    full_name: parent ? `${parent.full_name} / ${row.name}` : row.name,
  };
  const namespace = await trx
    .insertInto('namespaces')
    .values({ ...row, ...full })
    .returningAll()
    .executeTakeFirstOrThrow();
  await claim(trx, full.full_path, { namespace_id: namespace.id });
  await attach(trx, namespace.id, parent?.id);
  return namespace;
}

async function attach(trx: Writer, id: number, parentId: number | undefined): Promise<void> {
  const own = { namespace_id: id, ancestor_id: id, depth: 0 };
  await trx.insertInto('namespace_ancestors').values(own).execute();
  if (parentId === undefined) return;
  await trx
    .insertInto('namespace_ancestors')
    .columns(['namespace_id', 'ancestor_id', 'depth'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_ancestors')
        .select([sql<number>`${sql.lit(id)}`.as('namespace_id'), 'ancestor_id', sql<number>`depth + 1`.as('depth')])
        .where('namespace_id', '=', parentId),
    )
    .execute();
}

/** Assigns a path to a project. */
export async function claimProjectPath(trx: Writer, fullPath: string, projectId: number): Promise<void> {
  await claim(trx, fullPath, { project_id: projectId });
}

/** Moves a project to another path; the former one redirects to it. */
export async function moveProjectAddress(trx: Writer, from: string, to: string, projectId: number): Promise<void> {
  if (from.toLowerCase() === to.toLowerCase()) return;
  await trx.updateTable('routes').set({ redirect: 1 }).where('path', '=', from.toLowerCase()).execute();
  await claim(trx, to, { project_id: projectId });
}

/**
 * Renames a namespace or moves it below another (`parent` null: to the top level). Updates its full path and name,
 * those of all descendants, and all routes; the former paths redirect to the new ones.
 */
export async function moveNamespace(
  trx: Writer,
  namespace: Namespace,
  to: { path: string; name: string; parent: Namespace | null },
): Promise<void> {
  const fullPath = to.parent ? `${to.parent.full_path}/${to.path}` : to.path;
  const fullName = to.parent ? `${to.parent.full_name} / ${to.name}` : to.name;
  if (namespace.parent_id !== (to.parent?.id ?? null)) await reattach(trx, namespace.id, to.parent?.id);
  const own = { path: to.path, name: to.name, parent_id: to.parent?.id ?? null, updated_at: Date.now() };
  await trx.updateTable('namespaces').set(own).where('id', '=', namespace.id).execute();
  const below = trx.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', namespace.id);
  await trx
    .updateTable('namespaces')
    .set({
      full_path: sql<string>`${fullPath} || substr(full_path, ${sql.lit(namespace.full_path.length + 1)})`,
      full_name: sql<string>`${fullName} || substr(full_name, ${sql.lit([...namespace.full_name].length + 1)})`,
    })
    .where('id', 'in', below)
    .execute();
  if (fullPath.toLowerCase() !== namespace.full_path.toLowerCase()) {
    await moveRoutes(trx, namespace.full_path.toLowerCase(), fullPath.toLowerCase(), namespace.id);
  }
}

async function reattach(trx: Writer, id: number, parentId: number | undefined): Promise<void> {
  const below = trx.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id);
  await trx
    .deleteFrom('namespace_ancestors')
    .where('namespace_id', 'in', below)
    .where('ancestor_id', 'not in', below)
    .execute();
  if (parentId === undefined) return;
  await sql`
    insert into namespace_ancestors (namespace_id, ancestor_id, depth)
    select b.namespace_id, a.ancestor_id, a.depth + b.depth + 1
    from namespace_ancestors a, namespace_ancestors b
    where a.namespace_id = ${parentId} and b.ancestor_id = ${id}`.execute(trx);
}

async function moveRoutes(trx: Writer, from: string, to: string, namespaceId: number): Promise<void> {
  const inside = sql`
    (namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${namespaceId})
     or project_id in (select p.id from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
       where a.ancestor_id = ${namespaceId}))`;
  const target = sql`${to} || substr(path, ${sql.lit(from.length + 1)})`;
  await sql`
    delete from routes where redirect = 1
    and path in (select ${target} from routes where redirect = 0 and ${inside})`.execute(trx);
  await sql`update routes set redirect = 2 where redirect = 0 and ${inside}`.execute(trx);
  await sql`
    insert into routes (path, namespace_id, project_id, redirect)
    select ${target}, namespace_id, project_id, 0 from routes where redirect = 2`.execute(trx);
  await sql`update routes set redirect = 1 where redirect = 2`.execute(trx);
}
