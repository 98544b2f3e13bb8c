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
    // A wrapper of its own: the same function may listen twice, and each stops by itself.
    const own: SignalListener = (payload) => listener(payload);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#byChannel.get(channel) === listeners) this.#byChannel.delete(channel);
    };
  }

  /** Wakes the listeners of a channel in a turn of their own, so that the caller's work does not wait for theirs. */
  wake(channel: string, payload?: string): void {
    if (this.#byChannel.has(channel)) queueMicrotask(() => this.#call(channel, payload));
  }

  /** Wakes all listeners: signals may have been missed. */
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
