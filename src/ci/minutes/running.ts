import type { Services } from '../../access/services.ts';
import { transitionJob } from '../jobs/public.ts';
import { graceSeconds, monthOf, secondsAllowed } from './rules.ts';
import { limitsFrom } from './service.ts';
import * as store from './store.ts';

/**
 * Fails running jobs on instance runners whose namespace exceeded its quota and the grace period, including the time of
 * running jobs.
 */
export async function dropOverQuotaJobs(services: Services, now = Date.now()): Promise<void> {
  const { db, settings } = services;
  const running = new Map((await store.runningSeconds(db.read, now)).map((row) => [row.namespace, row.seconds]));
  if (running.size === 0) return;
  const ids = [...running.keys()];
  const [tops, used, { shared_runners_minutes: instance }] = await Promise.all([
    store.limitsOf(db.read, ids),
    store.secondsUsedBy(db.read, ids, monthOf(now)),
    settings.read(),
  ]);
  for (const top of tops) {
    const total = (used.get(top.id) ?? 0) + (running.get(top.id) ?? 0);
    if (total < secondsAllowed(limitsFrom(top, instance)) + graceSeconds) continue;
    for (const id of await store.runningJobs(db.read, top.id)) {
      await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'ci_quota_exceeded' }));
    }
  }
}
