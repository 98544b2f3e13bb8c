import { parentPort } from 'node:worker_threads';

/** What the module of a `Thread` calls once it has loaded what it needs: answers each task in turn. */
export function serveThread<Task, Answer>(answer: (task: Task) => Answer | Promise<Answer>): void {
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage({ answer: await answer(task) }));
  parentPort?.postMessage({});
}
