import type { Entity } from '../frame/api.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** The amount of work at the end of a day. */
export interface DayOfWork {
  readonly date: string;
  readonly scope: number;
  readonly open: number;
}

/** Longer milestones get one point for several days. */
const maxPoints = 120;

const dayOf = (date: string) => Math.floor(Date.parse(`${date}T00:00:00Z`) / dayMs);
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

/**
 * Computes total and open work at the end of each day, from the first day to the last or today. Earlier events count on
 * the first day. Uses current weights, because the events contain no others.
 */
export function workByDay(
  events: readonly Entity[],
  {
    from,
    to,
    today,
    by,
  }: { readonly from: string; readonly to: string; readonly today: string; readonly by: 'issues' | 'weight' },
): DayOfWork[] {
  const [first, last] = [dayOf(from), Math.min(dayOf(to), dayOf(today))];
  const changes = Map.groupBy(events, ({ created_at }): number =>
    Math.max(first, Math.floor(Date.parse(created_at) / dayMs)),
  );
  const step = Math.max(1, Math.ceil((last - first + 1) / maxPoints));
  const days: DayOfWork[] = [];
  let [scope, open] = [0, 0];
  for (let day = first; day <= last; day += 1) {
    for (const { action, weight } of changes.get(day) ?? []) {
      const amount = by === 'weight' ? weight : 1;
      if (action === 'created') scope += amount;
      open += action === 'closed' ? -amount : amount;
    }
    if ((day - first) % step === 0 || day === last) days.push({ date: dateOf(day), scope, open: Math.max(0, open) });
  }
  return days;
}
