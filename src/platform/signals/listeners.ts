import type { SignalFailure, SignalListener } from './signals.ts';

/** The listeners of one process. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<SignalListener>>();
  readonly #onFailure: SignalFailure;

  constructor(onFailure: SignalFailure) {
    this.#onFailure = onFailure;
  }

  add(channel: string, listener: SignalListener): () => void {
    const listeners = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, listeners);
    // A new wrapper per call: the same function may be added twice, and each can be removed separately.
    const own: SignalListener = (payload) => listener(payload);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#byChannel.get(channel) === listeners) this.#byChannel.delete(channel);
    };
  }

  /** Calls the listeners of a channel in a microtask, so that the caller does not wait for them. */
  wake(channel: string, payload?: string): void {
    if (this.#byChannel.has(channel)) queueMicrotask(() => this.#call(channel, payload));
  }

  /** Calls all listeners, because signals may have been missed. */
  wakeAll(): void {
    for (const channel of this.#byChannel.keys()) this.wake(channel);
  }

  clear(): void {
    this.#byChannel.clear();
  }

  #call(channel: string, payload?: string): void {
    for (const listener of [...(this.#byChannel.get(channel) ?? [])]) {
      try {
        listener(payload);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }
}
