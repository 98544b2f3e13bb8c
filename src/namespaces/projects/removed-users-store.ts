import { sql } from 'kysely';
import type { Project } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRows } from '../../platform/database/locks.ts';

/** A project in a user's own namespace, if there is one. */
export function anyPersonalProject(db: Reader, user: number): Promise<Project | undefined> {
  return db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .where('namespaces.owner_id', '=', user)
    .limit(1)
    .executeTakeFirst();
}

/** The stars go with the account, and are counted off where they were given. */
export async function takeStarsBack(trx: Writer, user: number): Promise<void> {
  const stars = await trx.deleteFrom('stars').where('user_id', '=', user).returning('project_id').execute();
  const ids = stars.map((star) => star.project_id);
  await lockRows(trx, 'projects', ids);
  if (ids.length === 0) return;
  const set = { star_count: sql<number>`star_count - 1` };
  await trx.updateTable('projects').set(set).where('id', 'in', ids).execute();
}

export async function handOverCreations(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute();
}
