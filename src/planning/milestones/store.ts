import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { MilestoneRow } from './tables.ts';

const columns = [
  'id',
  'iid',
  'project_id',
  'namespace_id',
  'title',
  'description',
  'state',
  'start_date',
  'due_date',
  'created_at',
  'updated_at',
] as const;

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('milestones').select(columns).where('id', 'in', param.ids('ids')),
);

/** Milestones by their numbers: for those that point to them. */
export async function milestonesById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, MilestoneRow>> {
  const wanted = [...new Set(ids)];
  const rows = wanted.length === 0 ? [] : await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, row]));
}
