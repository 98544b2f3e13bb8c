import { createRequire } from 'node:module';
import { serveThread } from '../../platform/threads/serve.ts';

interface Hljs {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

/** Code to be highlighted, and what it is written in. */
export interface Wanted {
  readonly code: string;
  readonly language: string;
}

// Its own types pull the browser's into the whole program, where they contradict those of Node.
const hljs = createRequire(import.meta.url)('highlight.js') as Hljs;

serveThread(({ code, language }: Wanted) => {
  const known = hljs.getLanguage(language) !== undefined;
  return known ? hljs.highlight(code, { language, ignoreIllegals: true }).value : null;
});
