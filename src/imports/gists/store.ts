import type { Reader, Writer } from '../../platform/database/database.ts';
import type { GistImportRow } from './tables.ts';

export function findGistImport(db: Reader, userId: number): Promise<GistImportRow | undefined> {
  return db.selectFrom('gist_imports').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/**
 * Starts an import unless one is running. Ended and abandoned imports are replaced. Returns false if one is running.
 */
export async function beginGistImport(
  trx: Writer,
  row: Pick<GistImportRow, 'user_id' | 'encrypted_data' | 'started_at'>,
  abandonedBefore: number,
): Promise<boolean> {
  const fresh = { ...row, cursor: null, failed: '[]' };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('gist_imports')
    .values(fresh)
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(fresh)
        .where((eb) =>
          eb.or([eb('gist_imports.encrypted_data', 'is', null), eb('gist_imports.started_at', '<', abandonedBefore)]),
        ),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function updateGistImport(
  trx: Writer,
  userId: number,
  columns: Partial<Pick<GistImportRow, 'cursor' | 'failed' | 'encrypted_data'>>,
): Promise<void> {
  await trx.updateTable('gist_imports').set(columns).where('user_id', '=', userId).execute();
}

/** Reloads the import and locks it until the transaction ends. */
export function lockGistImport(trx: Writer, userId: number): Promise<GistImportRow | undefined> {
  return trx
    .updateTable('gist_imports')
    .set((eb) => ({ started_at: eb.ref('started_at') }))
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/** A batch of imports that started before an instant and have not ended. */
export function gistImportsBefore(db: Reader, instant: number): Promise<{ user_id: number }[]> {
  return db
    .selectFrom('gist_imports')
    .select('user_id')
    .where('encrypted_data', 'is not', null)
    .where('started_at', '<', instant)
    .orderBy('started_at')
    .limit(100)
    .execute();
}
