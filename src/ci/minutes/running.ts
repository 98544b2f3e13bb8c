import type { Services } from '../../access/services.ts';
import { transitionJob } from '../jobs/public.ts';
import { graceSeconds, monthOf, secondsAllowed } from './rules.ts';
import { limitsFrom } from './service.ts';
import * as store from './store.ts';

/** Ends the jobs on runners of the instance whose namespace has used far more than it has, what is under way counted. */
export async function endBeyondGrace(services: Services, now = Date.now()): Promise<void> {
  const { db, settings } = services;
  const running = new Map((await store.underWay(db.read, now)).map((one) => [one.namespace, one.seconds]));
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
    for (const id of await store.jobsUnderWay(db.read, top.id)) {
      await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'ci_quota_exceeded' }));
    }
  }
}
