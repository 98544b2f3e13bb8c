import type { Writer } from '../../platform/database/database.ts';
import { type Target, targetColumns } from '../target.ts';
import type { ResourceStateEventsTable } from './tables.ts';

/** Target, user and time of a change. */
export interface Change {
  readonly target: Target;
  readonly userId: number;
  readonly at?: number;
}

const columnsOf = ({ target, userId, at }: Change) => ({
  ...targetColumns(target),
  user_id: userId,
  created_at: at ?? Date.now(),
});

/** Records added and removed labels. */
export async function recordLabels(
  trx: Writer,
  change: Change,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): Promise<void> {
  const of = (action: 'add' | 'remove') => (label_id: number) => ({ ...columnsOf(change), label_id, action });
  const rows = [...added.map(of('add')), ...removed.map(of('remove'))];
  if (rows.length > 0) await trx.insertInto('resource_label_events').values(rows).execute();
}

/** The commit or merge request that closed a target. */
export interface StateSource {
  readonly commit?: string;
  readonly mergeRequestId?: number;
}

/** Records that a target was closed, reopened or merged. */
export async function recordState(
  trx: Writer,
  change: Change,
  state: ResourceStateEventsTable['state'],
  { commit = undefined, mergeRequestId = undefined }: StateSource = {},
): Promise<void> {
  await trx
    .insertInto('resource_state_events')
    .values({
      ...columnsOf(change),
      state,
      source_commit: commit ?? null,
      source_merge_request_id: mergeRequestId ?? null,
    })
    .execute();
}

/** Records a changed milestone as a "remove" and an "add" event. */
export async function recordMilestone(
  trx: Writer,
  change: Change,
  { before, after, state }: { readonly before: number | null; readonly after: number | null; readonly state: string },
): Promise<void> {
  const rows = [];
  if (before !== null) rows.push({ ...columnsOf(change), milestone_id: before, action: 'remove' as const, state });
  if (after !== null) rows.push({ ...columnsOf(change), milestone_id: after, action: 'add' as const, state });
  if (rows.length > 0) await trx.insertInto('resource_milestone_events').values(rows).execute();
}

export async function recordWeight(trx: Writer, change: Change, weight: number | null): Promise<void> {
  await trx
    .insertInto('resource_weight_events')
    .values({ ...columnsOf(change), weight })
    .execute();
}

const tables = [
  'resource_label_events',
  'resource_state_events',
  'resource_milestone_events',
  'resource_weight_events',
] as const;

/** Deletes the resource events of targets that are being deleted. */
export async function deleteRecordsOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  for (const table of tables) {
    await trx.deleteFrom(table).where('target_type', '=', type).where('target_id', 'in', ids).execute();
  }
}

/** Transfers the events of a deleted user to the heir, or deletes them if there is none. */
export async function handOverRecords(trx: Writer, from: number, to: number | null): Promise<void> {
  for (const table of tables) {
    if (to === null) await trx.deleteFrom(table).where('user_id', '=', from).execute();
    else await trx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute();
  }
}

/** Moves the events of merged milestones to the remaining one. */
export async function mergeMilestones(trx: Writer, ids: readonly number[], into: number): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('resource_milestone_events')
    .set({ milestone_id: into })
    .where('milestone_id', 'in', ids)
    .execute();
}
