/** Start of the UTC month of a timestamp. */
export function monthOf(at: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
}

/** Minute limits of a namespace: its own monthly limit, its extra minutes, and the instance default. */
export interface Limits {
  readonly own: number | null;
  readonly extra: number | null;
  readonly instance: number;
}

/** Seconds that jobs of a namespace may run on instance runners in a month. */
export function secondsAllowed({ own, extra, instance }: Limits): number {
  const minutes = own ?? instance;
  return minutes === 0 ? Number.POSITIVE_INFINITY : (minutes + (extra ?? 0)) * 60;
}

/** Seconds used beyond the monthly limit, which count against the extra minutes. */
export function secondsBeyond(used: number, { own, instance }: Omit<Limits, 'extra'>): number {
  const minutes = own ?? instance;
  return minutes === 0 ? 0 : Math.max(0, used - minutes * 60);
}

/** Extra minutes remaining after a month; partial minutes are not deducted. */
export function extraAfter(extra: number | null, excess: number): number | null {
  return extra === null ? null : Math.max(0, extra - Math.floor(excess / 60));
}

/** Running jobs may exceed the quota by this many seconds. */
export const graceSeconds = 1000 * 60;

/** Minutes used in a month, split into monthly and extra ones. */
export function minutesUsed(used: number, limits: Limits): Record<'total' | 'monthly' | 'extra', number> {
  const total = Math.floor(used / 60);
  const extra = limits.extra ? Math.floor(secondsBeyond(used, limits) / 60) : 0;
  return { total, monthly: total - extra, extra };
}
