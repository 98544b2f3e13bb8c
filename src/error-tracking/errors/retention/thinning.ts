const day = 24 * 60 * 60 * 1000;
const minute = 60_000;

/** Number of newest events of an error that are always kept. */
export const newestKept = 100;
/** Minimum age of deleted events, so that an event sent twice is detected as a duplicate. */
const minAge = 10 * minute;

export interface ThinnableEvent {
  readonly id: number;
  readonly occurred_at: number;
  readonly received_at: number;
}

/**
 * Returns which of the events beyond the newest can be deleted: one event per day is kept. Events must be sorted newest
 * first; `lastDay` is the day of the last event kept in the previous part.
 */
export function thinOut<E extends ThinnableEvent>(
  events: readonly E[],
  now: number,
  lastDay?: number,
): { readonly deletable: E[]; readonly lastDay: number | undefined } {
  let lastKeptDay = lastDay;
  const deletable = events.filter(({ occurred_at, received_at }) => {
    const own = Math.floor(occurred_at / day);
    if (received_at > now - minAge) return false;
    if (own === lastKeptDay) return true;
    lastKeptDay = own;
    return false;
  });
  return { deletable, lastDay: lastKeptDay };
}
