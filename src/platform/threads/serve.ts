import { parentPort } from 'node:worker_threads';

/** What the module of a `Thread` calls once it has loaded what it needs: answers each task in turn. */
export function serveThread<Task, Answer>(answer: (task: Task) => Answer): void {
  parentPort?.on('message', (task: Task) => parentPort?.postMessage({ answer: answer(task) }));
  parentPort?.postMessage({});
}
