import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../../access/services.ts';

/** How many merges somebody waits for, in this process. */
const waitedFor = new WeakMap<Services, number>();

/** Does what somebody waits for; background work that gives way stands still meanwhile. */
export async function ahead<T>(services: Services, work: () => Promise<T>): Promise<T> {
  waitedFor.set(services, (waitedFor.get(services) ?? 0) + 1);
  try {
    return await work();
  } finally {
    waitedFor.set(services, (waitedFor.get(services) ?? 1) - 1);
  }
}

/** Work without a break, in milliseconds; and the longest that it stands still for others. */
const slice = 5;
const patience = 1000;

/** Breaks up work of the one thread that all answers come from. */
export class Yielding {
  readonly #services: Services;
  #since = performance.now();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Lets others have their turn, if this has had its own for a while. */
  async giveWay(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (now - this.#since < slice) return;
    do await pause(1, undefined, { signal });
    while ((waitedFor.get(this.#services) ?? 0) > 0 && performance.now() - now < patience);
    this.#since = performance.now();
  }
}
