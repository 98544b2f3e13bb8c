import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';

interface Wanted {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

interface Hljs {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

// Its own types pull the browser's into the whole program, where they contradict those of Node.
const hljs = createRequire(import.meta.url)('highlight.js') as Hljs;

parentPort?.on('message', ({ id, code, language }: Wanted) => {
  const known = hljs.getLanguage(language) !== undefined;
  parentPort?.postMessage({ id, html: known ? hljs.highlight(code, { language, ignoreIllegals: true }).value : null });
});

// Whoever waits for the language definitions to be loaded hears that they are.
parentPort?.postMessage({ id: 0, html: null });
