import { parentPort } from 'node:worker_threads';

/** What the module of a `Thread` calls once it has loaded what it needs: answers each question in turn. */
export function serveThread<Question, Answer>(answer: (question: Question) => Answer): void {
  parentPort?.on('message', (question: Question) => parentPort?.postMessage({ answer: answer(question) }));
  parentPort?.postMessage({});
}
