import type { Reader, Writer } from '../../platform/database/database.ts';

/** How many bytes of each language a project was last found to hold. */
export async function storedLanguages(db: Reader, projectId: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('project_languages')
    .select(['name', 'bytes'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map((row) => [row.name, row.bytes]));
}

/** Keeps what was found, in place of what was found before. */
export async function storeLanguages(
  trx: Writer,
  projectId: number,
  found: ReadonlyMap<string, number>,
): Promise<void> {
  await trx.deleteFrom('project_languages').where('project_id', '=', projectId).execute();
  const rows = [...found].map(([name, bytes]) => ({ project_id: projectId, name, bytes }));
  if (rows.length > 0) await trx.insertInto('project_languages').values(rows).execute();
}
