import type { Writer } from '../../platform/database/database.ts';
import type { MilestoneRow } from './tables.ts';

/** Adds a milestone as another host has it, with its own number and times. */
export async function insertImportedMilestone(trx: Writer, row: Omit<MilestoneRow, 'id'>): Promise<number> {
  const { id } = await trx.insertInto('milestones').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}
