import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Thread } from '../../../platform/threads/thread.ts';
import { type ClosedIssue, closedIssues } from '../closing-pattern.ts';
import { extractReferences } from '../document.ts';
import { escapeHtml } from '../html-tags.ts';
import { extractMentions, type Mentions } from '../mentions.ts';
import { paragraphLines } from '../paragraph-lines.ts';
import { NeedsWorkerThread, readOnMainThread } from '../parser.ts';
import { type PlacedReference, placedReferences } from '../placed-references.ts';
import type { Reference } from '../references/reference.ts';
import { type RenderOptions, readMarkdown, renderMarkdown } from '../render.ts';
import type { TextTask, TextTaskResults } from './work.ts';

// A megabyte of prose takes a second.
const thread = new Thread<TextTask, TextTaskResults[TextTask['kind']]>(new URL('./worker.ts', import.meta.url), {
  patience: 10_000,
  waiting: 64,
});

/** Processes a long text in a worker thread; undefined if it times out or the queue is full. */
async function runInWorker<K extends TextTask['kind']>(
  task: TextTask & { readonly kind: K },
): Promise<TextTaskResults[K] | undefined> {
  return (await thread.ask(task)) as TextTaskResults[K] | undefined;
}

/** Minimum length of texts that are not attempted on the main thread. */
export const minLongTextLength = 16_384;

function onMainThread<T>(text: string, read: () => T): T {
  if (text.length >= minLongTextLength) throw new NeedsWorkerThread();
  return readOnMainThread(read);
}

async function withWorkerFallback<T>(text: string, read: () => T, elsewhere: () => Promise<T>): Promise<T> {
  try {
    return onMainThread(text, read);
  } catch (error) {
    if (error instanceof NeedsWorkerThread) return elsewhere();
    throw error;
  }
}

/** Extracts mentions and references from texts. */
export interface TextReading {
  readonly mentionsIn: (text: string) => Mentions | Promise<Mentions>;
  readonly referencesOf: (text: string, instanceUrl: string) => readonly Reference[] | Promise<readonly Reference[]>;
  /** References with their positions. */
  readonly placedReferencesOf: (text: string) => readonly PlacedReference[] | Promise<readonly PlacedReference[]>;
}

/** Mentions in a text of any length; empty if processing times out. */
export function mentionsIn(text: string): Promise<Mentions> {
  const noMentions = { names: [], addressed: [], all: false };
  const elsewhere = async () => (await runInWorker({ kind: 'mentions', text })) ?? noMentions;
  return withWorkerFallback(text, () => extractMentions(text), elsewhere);
}

/** References in a text of any length; empty if processing times out. */
export function referencesOf(text: string, instanceUrl: string): Promise<readonly Reference[]> {
  const elsewhere = async () => (await runInWorker({ kind: 'references', text, instanceUrl })) ?? [];
  return withWorkerFallback<readonly Reference[]>(text, () => extractReferences(text, { instanceUrl }), elsewhere);
}

/** Issues that a text of any length closes; empty if processing times out. */
export function closedIssuesOf(text: string, instanceUrl: string): Promise<readonly ClosedIssue[]> {
  const elsewhere = async () => (await runInWorker({ kind: 'closed', text, instanceUrl })) ?? [];
  return withWorkerFallback<readonly ClosedIssue[]>(text, () => closedIssues(text, instanceUrl), elsewhere);
}

/** For use in a transaction, which must not wait for the worker thread: throws NeedsWorkerThread instead. */
export const mainThreadReading: TextReading = {
  mentionsIn: (text) => onMainThread(text, () => extractMentions(text)),
  referencesOf: (text, instanceUrl) => onMainThread(text, () => extractReferences(text, { instanceUrl })),
  placedReferencesOf: (text) => onMainThread(text, () => placedReferences(text)),
};

export const anyThreadReading: TextReading = { mentionsIn, referencesOf, placedReferencesOf };

/** Line numbers of the paragraphs of a text of any length; empty if processing times out. */
export function paragraphLinesOf(text: string): Promise<readonly number[]> {
  const elsewhere = async () => (await runInWorker({ kind: 'paragraphs', text })) ?? [];
  return withWorkerFallback<readonly number[]>(text, () => paragraphLines(text), elsewhere);
}

/** References with positions in a text of any length; empty if processing times out. */
export function placedReferencesOf(text: string): Promise<readonly PlacedReference[]> {
  const elsewhere = async () => (await runInWorker({ kind: 'places', text })) ?? [];
  return withWorkerFallback<readonly PlacedReference[]>(text, () => placedReferences(text), elsewhere);
}

const maxCacheSize = 16_000_000;

/** Cached HTML of long texts. The key contains everything that the HTML depends on, so entries never become stale. */
const rendered = new LRUCache<string, string>({
  maxSize: maxCacheSize,
  maxEntrySize: maxCacheSize / 4,
  sizeCalculation: (html, key) => html.length + key.length,
});

/** HTML of a text of any length. */
export function htmlOf(text: string, instanceUrl: string, options: RenderOptions = {}): Promise<string> {
  const render = () => renderMarkdown(readMarkdown(text, instanceUrl), options);
  return withWorkerFallback(text, render, () => htmlOfLong(text, instanceUrl, options));
}

/** The HTML of long texts is cached by their content and their resolved references. */
async function htmlOfLong(text: string, instanceUrl: string, options: RenderOptions): Promise<string> {
  const { resolved, ...rest } = options;
  const key = hash('sha256', JSON.stringify([text, instanceUrl, rest, [...(resolved ?? [])]]));
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const html = await runInWorker({ kind: 'html', text, instanceUrl, options });
  if (html === undefined) return `<pre class="code">${escapeHtml(text)}</pre>`;
  rendered.set(key, html);
  return html;
}
