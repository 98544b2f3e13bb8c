import { Thread } from '../../../platform/threads/thread.ts';
import { type VerifyResult, type VerifyTask, verifyTask } from './verify.ts';

/** Responses below this length take some ten milliseconds to verify; those with few groups are much shorter. */
const threadThreshold = 32_768;

const thread = new Thread<VerifyTask, VerifyResult>(new URL('./worker.ts', import.meta.url), {
  patience: 30_000,
  waiting: 32,
});

/**
 * Verifies a response. Long ones are verified in a thread: anybody can send them, and four hundred kilobytes would
 * block the event loop for a second before their signature turns out to be wrong.
 */
export async function verifyResponse(task: VerifyTask): Promise<VerifyResult> {
  if (task.samlResponse.length < threadThreshold) return verifyTask(task);
  return (await thread.ask(task)) ?? { refused: 'the response takes too long to verify', denied: false };
}
