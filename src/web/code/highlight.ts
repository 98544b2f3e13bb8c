import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { escapeHtml } from '../../platform/http/html.ts';

const mostCode = 300_000;
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
  #worker: Worker | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  #count = 0;
  readonly #waiting = new Map<number, (html: string | null) => void>();
  readonly #kept = new LRUCache<string, readonly string[]>({ maxSize: keptLength, maxEntrySize: keptLength / 8 });

  /** The lines of a file as HTML; `key` names its content. */
  async lines(code: string, path: string, key: string): Promise<readonly string[]> {
    const language = languageOf(path);
    const name = `${key} ${language}`;
    const known = this.#kept.get(name);
    if (known) return known;
    const fits = code.length <= mostCode && !code.split('\n').some((line) => line.length > longestLine);
    const html = (fits && language !== '' && (await this.#highlight(code, language))) || escapeHtml(code);
    const lines = splitLines(html);
    this.#kept.set(name, lines, { size: html.length + name.length });
    return lines;
  }

  async #highlight(code: string, language: string): Promise<string | null> {
    const worker = this.#thread();
    // Starting is no fault of the code: its time begins when the thread is ready for it.
    await this.#ready;
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(), patience);
      this.#waiting.set(id, (html) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(html);
      });
      worker.postMessage({ id, code, language });
    });
  }

  #thread(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./highlight-worker.ts', import.meta.url));
    this.#ready = new Promise((resolve) => {
      worker.once('message', resolve);
      worker.once('exit', resolve);
    });
    worker.on('message', ({ id, html }: { id: number; html: string | null }) => this.#waiting.get(id)?.(html));
    worker.on('error', () => this.#end());
    // After the listeners, which would hold the process again.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const done of [...this.#waiting.values()]) done(null);
    void worker?.terminate();
  }

  close(): void {
    this.#end();
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
