/** Called when something happened on a channel; the payload is a hint where to look, and may be missing. */
export type SignalListener = (payload?: string) => void;

/**
 * Wake-up signals between components and processes. A signal may be lost, duplicated or late, so it carries no data:
 * receivers read the database, and also poll it now and then. Signals must be sent after the commit.
 */
export interface Signals {
  /** Notifies every listener of the channel, in this and other processes, asynchronously. */
  notify(channel: string, payload?: string): void;
  /** Returns a function that removes the listener. */
  on(channel: string, listener: SignalListener): () => void;
  close(): Promise<void>;
}

/** Called with errors of listeners and connections, which no caller is waiting for. */
export type SignalFailure = (error: unknown) => void;
