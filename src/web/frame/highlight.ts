import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { Thread } from '../../platform/threads/thread.ts';
import type { HighlightRequest } from './highlight-worker.ts';

const maxCode = 300_000;
const longestLine = 5_000;
const patience = 1_000;
const cacheLength = 8_000_000;

const bySuffix: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  mjs: 'javascript',
  mts: 'typescript',
  cts: 'typescript',
  h: 'c',
  hh: 'cpp',
  vue: 'xml',
  svelte: 'xml',
  lock: 'plaintext',
};

/** Determines the language from a file name. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'dockerfile' || name === 'makefile' || name === 'cmakelists.txt') return name.replace('lists.txt', '');
  const suffix = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  return bySuffix[suffix] ?? suffix;
}

/**
 * Highlights code in a worker thread, so that a pathological regular expression cannot block the server. On timeout,
 * the code is shown without colours and the thread is terminated.
 */
export class Highlighter {
  readonly #thread = new Thread<HighlightRequest, string | null>(new URL('./highlight-worker.ts', import.meta.url), {
    patience,
    waiting: 64,
  });
  readonly #cache = new LRUCache<string, readonly string[]>({ maxSize: cacheLength, maxEntrySize: cacheLength / 8 });

  /** Highlights the lines of a file; `key` identifies its content in the cache. */
  async lines(code: string, path: string, key: string): Promise<readonly string[]> {
    const language = languageOf(path);
    const name = `${key} ${language}`;
    const known = this.#cache.get(name);
    if (known) return known;
    const html = await this.#drawn(code, language);
    const lines = splitLines(html);
    this.#cache.set(name, lines, { size: html.length + name.length });
    return lines;
  }

  /** Highlights a code block with an explicit language. */
  async piece(code: string, language: string): Promise<string> {
    const name = `${hash('sha256', code)} ${language}`;
    const known = this.#cache.get(name)?.[0];
    if (known !== undefined) return known;
    const html = await this.#drawn(code, language);
    this.#cache.set(name, [html], { size: html.length + name.length });
    return html;
  }

  async #drawn(code: string, language: string): Promise<string> {
    const fits = code.length <= maxCode && !code.split('\n').some((line) => line.length > longestLine);
    return (fits && language !== '' && (await this.#thread.ask({ code, language }))) || escapeHtml(code);
  }

  close(): void {
    this.#thread.end();
  }
}

/**
 * Splits highlighted code into lines: elements that span lines are closed at the end of each and reopened in the next.
 */
export function splitLines(html: string): string[] {
  const open: string[] = [];
  return html.split('\n').map((line) => {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return `${before}${line}${'</span>'.repeat(open.length)}`;
  });
}

/** Shared by all pages, together with its cache. */
export const highlighter = new Highlighter();
