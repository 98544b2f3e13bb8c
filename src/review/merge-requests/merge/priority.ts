import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../../access/services.ts';

/** Number of merges in this process that a client is waiting for. */
const waitedFor = new WeakMap<Services, number>();

/** Runs work that a client waits for; cooperative background work pauses meanwhile. */
export async function withPriority<T>(services: Services, work: () => Promise<T>): Promise<T> {
  waitedFor.set(services, (waitedFor.get(services) ?? 0) + 1);
  try {
    return await work();
  } finally {
    waitedFor.set(services, (waitedFor.get(services) ?? 1) - 1);
  }
}

/** Maximum duration of background work without a pause, and maximum duration of a pause, in milliseconds. */
const maxSliceMs = 5;
const maxPauseMs = 1000;

/** Splits up background work, which runs in the same thread as all requests. */
export class CooperativeWork {
  readonly #services: Services;
  #since = performance.now();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Pauses if this work has been running for a while. */
  async yieldIfDue(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (now - this.#since < maxSliceMs) return;
    do await pause(1, undefined, { signal });
    while ((waitedFor.get(this.#services) ?? 0) > 0 && performance.now() - now < maxPauseMs);
    this.#since = performance.now();
  }
}
