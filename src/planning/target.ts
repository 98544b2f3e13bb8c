import type { Writer } from '../platform/database/database.ts';
import { lockRow } from '../platform/database/locks.ts';

/** Types of items that have notes, emoji reactions, to-do items, subscriptions and resource events. */
export type TargetType = 'Issue' | 'MergeRequest' | 'Epic' | 'Snippet' | 'Commit' | 'WikiPage::Meta' | 'Note';

/** An item of one of these types; exactly one of project and group is set. */
export interface Target {
  readonly type: TargetType;
  readonly id: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

/** The columns by which a row refers to a target. */
export function targetColumns({ type, id, project_id, namespace_id }: Target) {
  return { target_type: type, target_id: id, project_id, namespace_id };
}

/** Tables of the targets; commits and wiki pages are in git. */
const tables: Partial<Record<TargetType, 'issues' | 'merge_requests' | 'epics' | 'snippets' | 'notes'>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Epic: 'epics',
  Snippet: 'snippets',
  Note: 'notes',
};

/**
 * Locks a target against deletion until the transaction ends; returns false if it has been deleted. Required before
 * attaching rows to a target: there is no foreign key, so rows added during a deletion would remain forever.
 */
export async function lockTarget(trx: Writer, { type, id }: Pick<Target, 'type' | 'id'>): Promise<boolean> {
  const table = tables[type];
  return table === undefined || (await lockRow(trx, table, id, 'keep')) !== undefined;
}
