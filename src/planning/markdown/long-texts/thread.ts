import { Thread } from '../../../platform/threads/thread.ts';
import type { Answers, TextTask } from './work.ts';

// A megabyte of prose takes a second.
const thread = new Thread<TextTask, Answers[TextTask['kind']]>(new URL('./worker.ts', import.meta.url), {
  patience: 10_000,
  waiting: 64,
});

/** Reads a long text in a thread; undefined where it takes too long, or too many others wait. */
export async function askOfLongText<K extends TextTask['kind']>(
  task: TextTask & { readonly kind: K },
): Promise<Answers[K] | undefined> {
  return (await thread.ask(task)) as Answers[K] | undefined;
}
