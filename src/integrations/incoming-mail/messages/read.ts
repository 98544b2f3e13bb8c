import { Thread } from '../../../platform/threads/thread.ts';
import type { Message } from './message.ts';

// The largest message that is taken unless told otherwise takes half a second.
const thread = new Thread<Uint8Array, Message>(new URL('./worker.ts', import.meta.url), {
  patience: 30_000,
  waiting: 16,
});

/** Reads a message in a thread; undefined where it takes too long, or too many others wait. */
export function readInThread(raw: Uint8Array): Promise<Message | undefined> {
  return thread.ask(raw);
}
