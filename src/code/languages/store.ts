import type { Reader, Writer } from '../../platform/database/database.ts';

/** The bytes per language of a project as last measured. */
export async function storedLanguages(db: Reader, projectId: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('project_languages')
    .select(['name', 'bytes'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map((row) => [row.name, row.bytes]));
}

/** Replaces the stored languages of a project. */
export async function storeLanguages(
  trx: Writer,
  projectId: number,
  languages: ReadonlyMap<string, number>,
): Promise<void> {
  await trx.deleteFrom('project_languages').where('project_id', '=', projectId).execute();
  const rows = [...languages].map(([name, bytes]) => ({ project_id: projectId, name, bytes }));
  if (rows.length > 0) await trx.insertInto('project_languages').values(rows).execute();
}
