import type { Database, Reader } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { emojiElement, emojiName } from '../../../platform/emoji.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { escapeHtml } from '../../../platform/http/responses/html.ts';
import { instantOrNull } from '../../../platform/http/schema.ts';
import type { StatusRow } from '../tables.ts';
import type { UserStatusEntity } from './schema.ts';
import { deleteStatus, findStatus, writeStatus } from './store.ts';

export interface StatusChange {
  readonly emoji?: string;
  readonly message?: string;
  readonly availability?: 'not_set' | 'busy';
  readonly clear_status_after?: keyof typeof durations;
}

const minute = 60_000;
const day = 24 * 60 * minute;
const durations = {
  '30_minutes': 30 * minute,
  '3_hours': 180 * minute,
  '8_hours': 480 * minute,
  '1_day': day,
  '3_days': 3 * day,
  '7_days': 7 * day,
  '30_days': 30 * day,
};
const longestMessage = 100;
/** Emoji of a message without one. */
const defaultEmoji = 'speech_balloon';

/** Returns a user's status; all fields are null if it is unset or expired. */
export async function getStatus(db: Reader, user: number): Promise<UserStatusEntity> {
  return presentStatus(await findStatus(db, user));
}

const hasRunOut = ({ clear_at }: StatusRow) => clear_at !== null && clear_at <= Date.now();

function presentStatus(status: StatusRow | undefined): UserStatusEntity {
  if (!status || hasRunOut(status)) {
    return { emoji: null, message: null, availability: null, message_html: null, clear_status_at: null };
  }
  return {
    emoji: status.emoji,
    message: status.message,
    availability: status.availability,
    message_html: renderMessage(status.message ?? ''),
    clear_status_at: instantOrNull(status.clear_at),
  };
}

/** Renders a message as HTML: only emoji are rendered, everything else is escaped. */
function renderMessage(message: string): string {
  return escapeHtml(message).replaceAll(/:([a-z0-9_+-]+):/g, (written, name: string) => emojiElement(name) ?? written);
}

/** Sets the status; fields that were not sent are cleared, or kept with `keep`. */
export async function setStatus(
  db: Database,
  user: number,
  change: StatusChange,
  keep: boolean,
): Promise<UserStatusEntity> {
  checkStatus(change);
  return db.write(async (trx) => {
    // Locked, so that concurrent changes to different fields are both kept.
    await lockRow(trx, 'users', user);
    const present = keep ? await findStatus(trx, user) : undefined;
    const row = merged(user, present && !hasRunOut(present) ? present : undefined, change);
    const says = row.emoji !== null || row.message !== null || row.availability !== 'not_set';
    if (!says) {
      await deleteStatus(trx, user);
      return presentStatus(undefined);
    }
    await writeStatus(trx, row);
    return presentStatus(row);
  });
}

function merged(user: number, present: StatusRow | undefined, change: StatusChange, now = Date.now()): StatusRow {
  const message = change.message === undefined ? (present?.message ?? null) : change.message || null;
  const emoji = change.emoji === undefined ? (present?.emoji ?? null) : change.emoji || null;
  const after = change.clear_status_after;
  return {
    user_id: user,
    message,
    emoji: emoji ?? (message === null ? null : defaultEmoji),
    availability: change.availability ?? present?.availability ?? 'not_set',
    clear_at: after === undefined ? (present?.clear_at ?? null) : now + durations[after],
  };
}

function checkStatus({ message, emoji }: StatusChange): void {
  const long = lengthProblem(message ?? '', longestMessage);
  if (long !== undefined) throw new Invalid({ message: [long] });
  if (emoji && emojiName(emoji) === undefined) throw new Invalid({ emoji: ['is not a valid emoji name'] });
}
