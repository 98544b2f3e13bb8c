import { GiveUp } from '../../../platform/queue/queue.ts';
import { Thread } from '../../../platform/threads/thread.ts';
import type { Message } from './message.ts';

// Parsing 25 MiB of attachments takes 5 s on a busy machine.
const thread = new Thread<Uint8Array, Message>(new URL('./worker.ts', import.meta.url), {
  patience: 30_000,
  waiting: 16,
});

const longestHead = 256 * 1024;

/** Parses a message in a worker thread. A message that times out is not retried. */
export async function readInThread(raw: Uint8Array): Promise<Message> {
  const message = await thread.ask(raw);
  if (!message) throw new GiveUp('the message is unreadable, or reading it takes too long');
  return message;
}

/** Parses only the headers, without the body: anyone can send a message, however expensive its body is to parse. */
export function readHeadInThread(raw: Buffer): Promise<Message> {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return readInThread(raw.subarray(0, Math.min(longestHead, raw.length, ...ends)));
}
