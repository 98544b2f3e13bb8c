const day = 24 * 60 * 60 * 1000;
const minute = 60_000;

/** The newest events of an error are all kept. */
export const newestKept = 100;
/** An event stays so long at least, so that one that is sent twice is known again. */
const youngest = 10 * minute;

export interface ThinnableEvent {
  readonly id: number;
  readonly occurred_at: number;
  readonly received_at: number;
}

/**
 * Of events beyond the newest, those that may go: of each day one stays, to show what the error looked like then. They
 * come the newest first; `lastDay` is the day of the last one that stayed in the part of the list before.
 */
export function thinOut<E extends ThinnableEvent>(
  events: readonly E[],
  now: number,
  lastDay?: number,
): { readonly gone: E[]; readonly lastDay: number | undefined } {
  let kept = lastDay;
  const gone = events.filter(({ occurred_at, received_at }) => {
    const own = Math.floor(occurred_at / day);
    if (received_at > now - youngest) return false;
    if (own === kept) return true;
    kept = own;
    return false;
  });
  return { gone, lastDay: kept };
}
