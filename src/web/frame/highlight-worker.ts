import { createRequire } from 'node:module';
import { serveThread } from '../../platform/threads/serve.ts';

interface Hljs {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

/** Code to highlight, and its language. */
export interface HighlightRequest {
  readonly code: string;
  readonly language: string;
}

// The package's own types include the DOM library, which conflicts with Node's types.
const hljs = createRequire(import.meta.url)('highlight.js') as Hljs;

serveThread(({ code, language }: HighlightRequest) => {
  const known = hljs.getLanguage(language) !== undefined;
  return known ? hljs.highlight(code, { language, ignoreIllegals: true }).value : null;
});
