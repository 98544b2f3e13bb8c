import type { Services } from '../../access/services.ts';
import type { MinutesEntity } from '../../namespaces/namespaces/public.ts';
import { minutesUsed, monthOf } from './rules.ts';
import { limitsFrom } from './service.ts';
import * as store from './store.ts';

/** Limits and current usage of root namespaces. */
export async function minutesOf(
  { db, settings }: Services,
  namespaces: readonly number[],
): Promise<ReadonlyMap<number, MinutesEntity>> {
  const [tops, used, { shared_runners_minutes: instance }] = await Promise.all([
    store.limitsOf(db.read, namespaces),
    store.secondsUsedBy(db.read, namespaces, monthOf(Date.now())),
    settings.read(),
  ]);
  return new Map(
    tops.map((top) => {
      const limits = limitsFrom(top, instance);
      const minutes = minutesUsed(used.get(top.id) ?? 0, limits);
      return [
        top.id,
        {
          shared_runners_minutes_limit: limits.own,
          extra_shared_runners_minutes_limit: limits.extra,
          ci_minutes_usage: {
            total_minutes_used: minutes.total,
            monthly_minutes_used: minutes.monthly,
            purchased_minutes_used: minutes.extra,
          },
        },
      ];
    }),
  );
}
