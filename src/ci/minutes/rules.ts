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

/** The seconds of a month that were more than is given each month: they are of the extra minutes. */
export function secondsBeyond(used: number, { own, instance }: Omit<Limits, 'extra'>): number {
  const minutes = own ?? instance;
  return minutes === 0 ? 0 : Math.max(0, used - minutes * 60);
}

/** The extra minutes that are left after a month; one that was only begun is given back. */
export function extraAfter(extra: number | null, beyond: number): number | null {
  return extra === null ? null : Math.max(0, extra - Math.floor(beyond / 60));
}

/** Jobs under way may go on for so long after the minutes are used up. */
export const graceSeconds = 1000 * 60;

/** The minutes that were used in a month, and of which kind they were. */
export function minutesUsed(used: number, limits: Limits): Record<'total' | 'monthly' | 'extra', number> {
  const total = Math.floor(used / 60);
  const extra = limits.extra ? Math.floor(secondsBeyond(used, limits) / 60) : 0;
  return { total, monthly: total - extra, extra };
}
