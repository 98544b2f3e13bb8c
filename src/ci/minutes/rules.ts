/** The first instant of the month that an instant is in. */
export function monthOf(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
}

/** What is set for a namespace: of its own, in addition, and for all that have nothing of their own. */
export interface Limits {
  readonly own: number | null;
  readonly extra: number | null;
  readonly instance: number;
}

/** The seconds that its jobs may be on runners of the instance in a month. */
export function secondsAllowed({ own, extra, instance }: Limits): number {
  const minutes = own ?? instance;
  return minutes === 0 ? Number.POSITIVE_INFINITY : (minutes + (extra ?? 0)) * 60;
}
