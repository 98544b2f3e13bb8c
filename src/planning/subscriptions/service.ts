import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { lockTarget, type Target } from '../target.ts';
import { setSubscription } from './store.ts';

/** Subscribes the caller to a target or unsubscribes them. */
export async function subscribe({ db }: Services, { user }: SignedInActor, target: Target, subscribed: boolean) {
  await db.write(async (trx) => {
    if (!(await lockTarget(trx, target))) throw NotFound.record();
    await setSubscription(trx, user.id, target, subscribed);
  });
}
