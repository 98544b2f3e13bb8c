import type { Reader } from '../../platform/database/database.ts';

/** Returns the next project ids after an id, ordered. */
export async function projectIdsAfter(db: Reader, last: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('projects').select('id').where('id', '>', last).orderBy('id').limit(limit).execute();
  return rows.map(({ id }) => id);
}
