import { Listeners } from './listeners.ts';
import type { SignalFailure, Signals } from './signals.ts';

/** Signals within one process. */
export function createLocalSignals(onFailure: SignalFailure): Signals {
  const listeners = new Listeners(onFailure);
  return {
    notify: (channel, payload) => listeners.wake(channel, payload),
    on: (channel, listener) => listeners.add(channel, listener),
    async close() {
      listeners.clear();
    },
  };
}
