import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { ReleaseEvidenceRow } from '../tables.ts';

/** The stored JSON of an evidence, unchanged. */
export async function evidenceSummary(db: Reader, releaseId: number, id: number): Promise<string | undefined> {
  const query = db.selectFrom('release_evidences').select('summary').where('release_id', '=', releaseId);
  return (await query.where('id', '=', id).executeTakeFirst())?.summary;
}

export async function insertEvidence(trx: Writer, row: Omit<ReleaseEvidenceRow, 'id'>): Promise<void> {
  await trx.insertInto('release_evidences').values(row).execute();
}
