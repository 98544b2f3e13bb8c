import type { Reader } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { Target } from '../target.ts';
import type { EventKind } from './schema.ts';
import type { LabelEventRow, MilestoneEventRow, StateEventRow, WeightEventRow } from './tables.ts';

export interface EventRows {
  readonly label: LabelEventRow;
  readonly state: StateEventRow;
  readonly milestone: MilestoneEventRow;
  readonly weight: WeightEventRow;
}

const tables = {
  label: 'resource_label_events',
  state: 'resource_state_events',
  milestone: 'resource_milestone_events',
  weight: 'resource_weight_events',
} as const;

// The four tables share the columns used here; one of them stands for all, to give the query a type.

/** Returns a page of the resource events of a target, oldest first. */
export async function eventsOf<K extends EventKind>(
  db: Reader,
  kind: K,
  { type, id }: Target,
  slice: Slice,
): Promise<{ rows: EventRows[K][]; total: number }> {
  const query = db
    .selectFrom(tables[kind] as 'resource_label_events')
    .selectAll()
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .orderBy('id');
  const { rows, total } = await fetchPage(db, query, slice);
  return { rows: rows as EventRows[K][], total };
}

export async function findEvent<K extends EventKind>(
  db: Reader,
  kind: K,
  { type, id }: Target,
  eventId: number,
): Promise<EventRows[K] | undefined> {
  const row = await db
    .selectFrom(tables[kind] as 'resource_label_events')
    .selectAll()
    .where('id', '=', eventId)
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .executeTakeFirst();
  return row as EventRows[K] | undefined;
}
