import { sql } from 'kysely';
import Type from 'typebox';
import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';
import { storedJson } from '../platform/stored-json.ts';
import type { BroadcastMessage } from './tables.ts';

/** The roles that a message targets; empty for all users. */
export const targetLevels = storedJson(Type.Array(Type.Integer()));

export const isActive = ({ starts_at, ends_at }: BroadcastMessage, now: number): boolean =>
  starts_at <= now && now < ends_at;

// Limits how many are displayed; the statement cache keeps results of at most this many rows.
const maxShown = 100;

const activeBetween = statement(
  (db, param: Param<{ from: number; to: number }>) =>
    db
      .selectFrom('broadcast_messages')
      .select(['id', 'message', 'starts_at', 'ends_at', 'color', 'font', 'target_access_levels', 'target_path'])
      .select(['broadcast_type', 'dismissable', 'theme'])
      .where('ends_at', '>', param('from'))
      .where('starts_at', '<', param('to'))
      .orderBy('ends_at', 'desc')
      .limit(sql.lit(maxShown)),
  { cached: true },
);

const minute = 60_000;

/**
 * The active broadcast messages, oldest first. Queried by whole minutes, so that the cached rows are reused for one.
 */
export async function activeBroadcasts(db: Reader, now = Date.now()): Promise<BroadcastMessage[]> {
  const from = now - (now % minute);
  const rows = await activeBetween.all(db, { from, to: from + minute });
  return rows.filter((row) => isActive(row, now)).sort((a, b) => a.id - b.id);
}
