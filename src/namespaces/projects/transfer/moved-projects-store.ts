import type { Reader } from '../../../platform/database/database.ts';

/** Returns a batch of project ids in a group hierarchy, ordered by id. */
export async function projectsBelow(db: Reader, groupId: number, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .select('p.id')
    .where('a.ancestor_id', '=', groupId)
    .where('p.id', '>', after)
    .orderBy('p.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
