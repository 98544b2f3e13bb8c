/** Hears that something happened on a channel; the payload is a hint where to look, and may be missing. */
export type SignalListener = (payload?: string) => void;

/**
 * Wake-ups between parts and processes. A signal may be lost, doubled or late, so it never carries data: who hears one
 * looks into the database, and who waits for one looks there now and then anyway. Send them after the commit.
 */
export interface Signals {
  /** Wakes every listener of the channel, here and in other processes, after the caller has gone on. */
  notify(channel: string, payload?: string): void;
  /** Returns the way to stop listening. */
  on(channel: string, listener: SignalListener): () => void;
  close(): Promise<void>;
}

/** Told of what a listener throws, or a connection fails with; nobody waits for a signal who could be told. */
export type SignalFailure = (error: unknown) => void;
