import { sql } from 'kysely';
import Type from 'typebox';
import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';
import { storedJson } from '../platform/stored-json.ts';
import type { BroadcastMessage } from './tables.ts';

/** The roles that a message is meant for; none for everybody. */
export const targetLevels = storedJson(Type.Array(Type.Integer()));

export const isActive = ({ starts_at, ends_at }: BroadcastMessage, now: number): boolean =>
  starts_at <= now && now < ends_at;

// More would fill the pages, and fewer rows than these are kept by the cache.
const maxShown = 100;

const around = statement(
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

/** What is being told at the moment, the oldest first. Asked for whole minutes, so that the rows stay at hand for one. */
export async function activeBroadcasts(db: Reader, now = Date.now()): Promise<BroadcastMessage[]> {
  const from = now - (now % minute);
  const rows = await around.all(db, { from, to: from + minute });
  return rows.filter((row) => isActive(row, now)).sort((a, b) => a.id - b.id);
}
