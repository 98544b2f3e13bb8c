import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import type { Push as ReceivedPush, ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { checkChanges } from './checks/service.ts';
import { finalise } from './finalise.ts';
import { noticesOf } from './notices.ts';
import { PushRefused, type PushRequest } from './push.ts';
import { reconcilePush } from './repair.ts';
import { type Intent, recordIntent } from './store.ts';

/** A push by git, from the time that git asks whether it may happen. */
export interface ReceivingPush {
  readonly hooks: ReceiveHooks;
  /** To be called when git is gone: finds out what happened if git did not say. */
  settled(): Promise<void>;
}

/** The same path as `moveRefs`, with git itself as the one that moves the refs. */
export function receivePush(
  services: Services,
  from: Pick<PushRequest, 'actor' | 'subject' | 'protocol'>,
  remarks: readonly string[] = [],
): ReceivingPush {
  let intent: Intent | undefined;
  const hooks: ReceiveHooks = {
    async onPreReceive({ changes, pushOptions, repo }: ReceivedPush) {
      const request = { ...from, changes, pushOptions };
      try {
        await checkChanges(services, request, repo);
      } catch (error) {
        if (error instanceof PushRefused) return error.message;
        throw error;
      }
      fault('push.checked');
      intent = await recordIntent(services.db, request);
      fault('push.recorded');
      return undefined;
    },
    async onPostReceive({ changes }) {
      fault('push.moved');
      if (!intent) throw new Error('git moved refs that it had not asked about');
      const push = await finalise(services, intent, from.subject, changes);
      intent = undefined;
      fault('push.finalised');
      return [...remarks, ...(await noticesOf(services, from.subject, push))];
    },
  };
  return {
    hooks,
    async settled() {
      if (intent) await reconcilePush(services, intent.id);
    },
  };
}
