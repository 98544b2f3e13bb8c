import type { Writer } from '../../platform/database/database.ts';
import type { Services } from '../../platform/services.ts';
import type { Push } from './push.ts';

/** Runs in the transaction that records a push: enqueue jobs here, exactly once per push. */
export type PushSubscriber = (trx: Writer, push: Push, services: Services) => Promise<void>;

/** The address of the open merge request whose source is a branch, if there is one. */
export type OpenMergeRequest = (services: Services, projectId: number, branch: string) => Promise<string | undefined>;

const subscribers: PushSubscriber[] = [];
let openMergeRequest: OpenMergeRequest | undefined;

/** Lets an area act on every push, by git, API and web alike. Call it once, at the top of a module. */
export function onPush(subscriber: PushSubscriber): void {
  subscribers.push(subscriber);
}

/** Lets the area of merge requests say which branches have one; those who push are then shown the way to it. */
export function onOpenMergeRequest(lookUp: OpenMergeRequest): void {
  openMergeRequest = lookUp;
}

/** Tells every subscriber, in the order in which they registered. */
export async function tellSubscribers(trx: Writer, push: Push, services: Services): Promise<void> {
  for (const subscriber of subscribers) await subscriber(trx, push, services);
}

/** The open merge request of a branch, if anybody knows of one. */
export function findOpenMergeRequest(
  services: Services,
  projectId: number,
  branch: string,
): Promise<string | undefined> {
  return openMergeRequest?.(services, projectId, branch) ?? Promise.resolve(undefined);
}
