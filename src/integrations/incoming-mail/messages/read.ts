import { GiveUp } from '../../../platform/queue/queue.ts';
import { Thread } from '../../../platform/threads/thread.ts';
import type { Message } from './message.ts';

// 25 MiB of files take 5 s on a busy machine.
const thread = new Thread<Uint8Array, Message>(new URL('./worker.ts', import.meta.url), {
  patience: 30_000,
  waiting: 16,
});

const longestHead = 256 * 1024;

/** Reads a message in a thread. Who makes one that takes too long is not worth another try. */
export async function readInThread(raw: Uint8Array): Promise<Message> {
  const message = await thread.ask(raw);
  if (!message) throw new GiveUp('the message cannot be read, or takes too long');
  return message;
}

/** Reads who sent a message to whom, and nothing of what it says: anybody can send one, however long that takes to read. */
export function readHeadInThread(raw: Buffer): Promise<Message> {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return readInThread(raw.subarray(0, Math.min(longestHead, raw.length, ...ends)));
}
