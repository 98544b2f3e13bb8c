import { sql } from 'kysely';
import { incrementCounter, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { LfsObjectRow } from './tables.ts';

const linked = statement((db, param: Param<{ project: number; oids: readonly string[] }>) =>
  db
    .selectFrom('lfs_objects as o')
    .innerJoin('lfs_object_projects as p', 'p.lfs_object_id', 'o.id')
    .selectAll('o')
    .where('p.project_id', '=', param('project'))
    .where('o.oid', 'in', param.texts('oids')),
);

/** Returns which of these objects a project has. */
export function linkedObjects(db: Reader, projectId: number, oids: readonly string[]): Promise<LfsObjectRow[]> {
  return linked.all(db, { project: projectId, oids });
}

const ofProject = statement((db, param: Param<{ project: number; after: number; limit: number }>) =>
  db
    .selectFrom('lfs_object_projects as p')
    .innerJoin('lfs_objects as o', 'o.id', 'p.lfs_object_id')
    .select(['o.id', 'o.oid', 'o.size'])
    .where('p.project_id', '=', param('project'))
    .where('p.lfs_object_id', '>', param('after'))
    .orderBy('p.lfs_object_id')
    .limit(param('limit')),
);

/** Lists the LFS objects of a project after an ID. */
export function objectsOfProject(
  db: Reader,
  projectId: number,
  after: number,
  limit: number,
): Promise<{ id: number; oid: string; size: number }[]> {
  return ofProject.all(db, { project: projectId, after, limit });
}

/** Inserts the row of an object about to be uploaded. The sweep deletes it if it is still unlinked a day later. */
export async function insertPendingObject(
  trx: Writer,
  { oid, size }: { readonly oid: string; readonly size: number },
): Promise<void> {
  const row = { oid, size, created_at: Date.now() };
  await trx
    .insertInto('lfs_objects')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Links an object to a project; idempotent. `isStored` is called while the object is locked against deletion. */
export async function linkObject(
  trx: Writer,
  projectId: number,
  { oid, size }: { readonly oid: string; readonly size: number },
  isStored: () => Promise<boolean>,
): Promise<void> {
  const now = Date.now();
  const { id } = await trx
    .insertInto('lfs_objects')
    .values({ oid, size, created_at: now })
    // An update instead of "do nothing": it locks the row against concurrent deletion until the link is committed.
    .onConflict((conflict) => conflict.column('oid').doUpdateSet({ size }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const link = await trx
    .insertInto('lfs_object_projects')
    .values({ lfs_object_id: id, project_id: projectId, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!(await isStored())) throw new Error(`the bytes of ${oid} were removed while they were being stored`);
  if (Number(link.numInsertedOrUpdatedRows ?? 0) === 0) return;
  await incrementCounter(trx, projectId, 'lfs_objects_size', size);
}

/** Links all objects of one project to another, for a new fork. */
export async function linkAllObjects(trx: Writer, from: number, to: number): Promise<void> {
  // Lock before computing the sum: a concurrent upload to the fork either is included in it or adds to it afterwards.
  await lockRow(trx, 'projects', to);
  await sql`
    insert into lfs_object_projects (lfs_object_id, project_id, created_at)
    select p.lfs_object_id, ${sql.lit(to)}, ${sql.lit(Date.now())} from lfs_object_projects p
    where p.project_id = ${from}
      and not exists (select 1 from lfs_object_projects q where q.project_id = ${to} and q.lfs_object_id = p.lfs_object_id)
  `.execute(trx);
  const { size } = await trx
    .selectFrom('lfs_objects as o')
    .innerJoin('lfs_object_projects as p', 'p.lfs_object_id', 'o.id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number | string>('o.size'), eb.lit(0)).as('size'))
    .where('p.project_id', '=', to)
    .executeTakeFirstOrThrow();
  await updateRepositoryColumns(trx, to, { lfs_objects_size: Number(size) });
}

/** Lists LFS objects created before a time that no project references, after an ID. */
export function unlinkedObjects(
  db: Reader,
  { after, before, limit }: { readonly after: number; readonly before: number; readonly limit: number },
): Promise<{ id: number; oid: string }[]> {
  return db
    .selectFrom('lfs_objects as o')
    .select(['o.id', 'o.oid'])
    .where('o.id', '>', after)
    .where('o.created_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('lfs_object_projects as p').select('p.project_id').whereRef('p.lfs_object_id', '=', 'o.id'),
        ),
      ),
    )
    .orderBy('o.id')
    .limit(limit)
    .execute();
}

/** Returns false if the object was already deleted. Throws a foreign key violation while a project references it. */
export async function deleteObject(trx: Writer, id: number): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('lfs_objects').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
