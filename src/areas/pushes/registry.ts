import type { Writer } from '../../platform/database/database.ts';
import type { Services } from '../../platform/services.ts';
import type { Push } from './push.ts';

/** Runs in the transaction that records a push: enqueue jobs here, exactly once per push. */
export type PushSubscriber = (trx: Writer, push: Push, services: Services) => Promise<void>;

/** Gives lines to be shown to whoever pushed by git. */
export type PushNotice = (services: Services, push: Push) => Promise<readonly string[]>;

const subscribers: PushSubscriber[] = [];
const notices: PushNotice[] = [];

/** Lets an area act on every push, by git, API and web alike. Call it once, at the top of a module. */
export function onPush(subscriber: PushSubscriber): void {
  subscribers.push(subscriber);
}

/** Lets an area say something to those who push by git. Call it once, at the top of a module. */
export function onPushNotice(notice: PushNotice): void {
  notices.push(notice);
}

/** Tells every subscriber, in the order in which they registered. */
export async function tellSubscribers(trx: Writer, push: Push, services: Services): Promise<void> {
  for (const subscriber of subscribers) await subscriber(trx, push, services);
}

/** What the areas say to the pusher. */
export async function noticesOf(services: Services, push: Push): Promise<string[]> {
  const lines: string[] = [];
  for (const notice of notices) lines.push(...(await notice(services, push)));
  return lines;
}
