import { parentPort } from 'node:worker_threads';

/** Called by the module of a `Thread` once it is loaded; handles each task in turn. */
export function serveThread<Task, Answer>(answer: (task: Task) => Answer | Promise<Answer>): void {
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage({ answer: await answer(task) }));
  parentPort?.postMessage({});
}
