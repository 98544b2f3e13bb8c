import type { Writer } from '../platform/database/database.ts';
import { lockRow } from '../platform/database/locks.ts';

/** What people write about: it has notes, reactions, to-dos, subscribers and a record of its changes. */
export type TargetType = 'Issue' | 'MergeRequest' | 'Epic' | 'Snippet' | 'Commit' | 'WikiPage::Meta' | 'Note';

/** One of them, with the project or group that it belongs to: one of the two is null. */
export interface Target {
  readonly type: TargetType;
  readonly id: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

/** The columns by which a row belongs to a target. */
export function targetColumns({ type, id, project_id, namespace_id }: Target) {
  return { target_type: type, target_id: id, project_id, namespace_id };
}

/** Where targets are kept; commits and pages of wikis are in git. */
const tables: Partial<Record<TargetType, 'issues' | 'merge_requests' | 'epics' | 'snippets' | 'notes'>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Epic: 'epics',
  Snippet: 'snippets',
  Note: 'notes',
};

/**
 * False where a target is gone; else nobody removes it until the transaction ends. For whoever puts something on it: no
 * foreign key sees to that, so what came while it was removed would stay for ever.
 */
export async function keepTarget(trx: Writer, { type, id }: Pick<Target, 'type' | 'id'>): Promise<boolean> {
  const table = tables[type];
  return table === undefined || (await lockRow(trx, table, id, 'keep')) !== undefined;
}
