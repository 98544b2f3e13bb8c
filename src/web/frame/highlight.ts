import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { Thread } from '../../platform/threads/thread.ts';
import type { Wanted } from './highlight-worker.ts';

const maxCode = 300_000;
const longestLine = 5_000;
const patience = 1_000;
const keptLength = 8_000_000;

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

/** What a file is written in, by its name. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'dockerfile' || name === 'makefile' || name === 'cmakelists.txt') return name.replace('lists.txt', '');
  const suffix = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  return bySuffix[suffix] ?? suffix;
}

/**
 * Highlights in a thread of its own: an expression that never ends must not hold up the server. What takes too long is
 * shown plain, and its thread ended.
 */
export class Highlighter {
  readonly #thread = new Thread<Wanted, string | null>(new URL('./highlight-worker.ts', import.meta.url), {
    patience,
    waiting: 64,
  });
  readonly #kept = new LRUCache<string, readonly string[]>({ maxSize: keptLength, maxEntrySize: keptLength / 8 });

  /** The lines of a file as HTML; `key` names its content. */
  async lines(code: string, path: string, key: string): Promise<readonly string[]> {
    const language = languageOf(path);
    const name = `${key} ${language}`;
    const known = this.#kept.get(name);
    if (known) return known;
    const html = await this.#drawn(code, language);
    const lines = splitLines(html);
    this.#kept.set(name, lines, { size: html.length + name.length });
    return lines;
  }

  /** A piece of code that names its language itself, as HTML. */
  async piece(code: string, language: string): Promise<string> {
    const name = `${hash('sha256', code)} ${language}`;
    const known = this.#kept.get(name)?.[0];
    if (known !== undefined) return known;
    const html = await this.#drawn(code, language);
    this.#kept.set(name, [html], { size: html.length + name.length });
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

/** Cuts highlighted code into lines: what is open at the end of one is closed there, and opened again in the next. */
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

/** One for the process: pages share the thread and what it has done. */
export const highlighter = new Highlighter();
