import type { Writer } from '../../platform/database/database.ts';
import type { MilestoneRow } from './tables.ts';

/** Inserts an imported milestone with its original IID and timestamps. */
export async function insertImportedMilestone(trx: Writer, row: Omit<MilestoneRow, 'id'>): Promise<number> {
  const { id } = await trx.insertInto('milestones').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}
