import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Thread } from '../../../platform/threads/thread.ts';
import { type ClosedIssue, closedIssues } from '../closing-pattern.ts';
import { extractReferences } from '../document.ts';
import { escapeHtml } from '../html-tags.ts';
import { extractMentions, type Mentions } from '../mentions.ts';
import { paragraphLines } from '../paragraph-lines.ts';
import { BetterElsewhere, readQuickly } from '../parser.ts';
import { type PlacedReference, placedReferences } from '../placed-references.ts';
import type { Reference } from '../references/reference.ts';
import { type RenderOptions, readMarkdown, renderMarkdown } from '../render.ts';
import type { Answers, TextTask } from './work.ts';

// A megabyte of prose takes a second.
const thread = new Thread<TextTask, Answers[TextTask['kind']]>(new URL('./worker.ts', import.meta.url), {
  patience: 10_000,
  waiting: 64,
});

/** Reads a long text in a thread; undefined where it takes too long, or too many others wait. */
async function askOfLongText<K extends TextTask['kind']>(
  task: TextTask & { readonly kind: K },
): Promise<Answers[K] | undefined> {
  return (await thread.ask(task)) as Answers[K] | undefined;
}

/** What is longer is not even tried while everybody waits. */
export const longFrom = 16_384;

function readHere<T>(text: string, read: () => T): T {
  if (text.length >= longFrom) throw new BetterElsewhere();
  return readQuickly(read);
}

async function hereOr<T>(text: string, read: () => T, elsewhere: () => Promise<T>): Promise<T> {
  try {
    return readHere(text, read);
  } catch (error) {
    if (error instanceof BetterElsewhere) return elsewhere();
    throw error;
  }
}

/** What there is to be known of a text that mentions people and things. */
export interface TextReading {
  readonly mentionsIn: (text: string) => Mentions | Promise<Mentions>;
  readonly referencesOf: (text: string, instanceUrl: string) => readonly Reference[] | Promise<readonly Reference[]>;
  /** The references, and where they stand. */
  readonly placedReferencesOf: (text: string) => readonly PlacedReference[] | Promise<readonly PlacedReference[]>;
}

/** Whom a text mentions, whatever its length; nobody, where it is made to be slow. */
export function mentionsIn(text: string): Promise<Mentions> {
  const nobody = { names: [], addressed: [], all: false };
  const elsewhere = async () => (await askOfLongText({ kind: 'mentions', text })) ?? nobody;
  return hereOr(text, () => extractMentions(text), elsewhere);
}

/** What a text refers to, whatever its length; nothing, where it is made to be slow. */
export function referencesOf(text: string, instanceUrl: string): Promise<readonly Reference[]> {
  const elsewhere = async () => (await askOfLongText({ kind: 'references', text, instanceUrl })) ?? [];
  return hereOr<readonly Reference[]>(text, () => extractReferences(text, { instanceUrl }), elsewhere);
}

/** The issues that a text says it closes, whatever its length; none, where it is made to be slow. */
export function closedIssuesOf(text: string, instanceUrl: string): Promise<readonly ClosedIssue[]> {
  const elsewhere = async () => (await askOfLongText({ kind: 'closed', text, instanceUrl })) ?? [];
  return hereOr<readonly ClosedIssue[]>(text, () => closedIssues(text, instanceUrl), elsewhere);
}

/** The same for a transaction, which must not wait for a thread: throws BetterElsewhere where it would have to. */
export const readingHere: TextReading = {
  mentionsIn: (text) => readHere(text, () => extractMentions(text)),
  referencesOf: (text, instanceUrl) => readHere(text, () => extractReferences(text, { instanceUrl })),
  placedReferencesOf: (text) => readHere(text, () => placedReferences(text)),
};

export const readingAnywhere: TextReading = { mentionsIn, referencesOf, placedReferencesOf };

/** Which lines of a text stand in paragraphs, whatever its length; none, where it is made to be slow. */
export function paragraphLinesOf(text: string): Promise<readonly number[]> {
  const elsewhere = async () => (await askOfLongText({ kind: 'paragraphs', text })) ?? [];
  return hereOr<readonly number[]>(text, () => paragraphLines(text), elsewhere);
}

/** What a text refers to, and where it does, whatever its length. */
export function placedReferencesOf(text: string): Promise<readonly PlacedReference[]> {
  const elsewhere = async () => (await askOfLongText({ kind: 'places', text })) ?? [];
  return hereOr<readonly PlacedReference[]>(text, () => placedReferences(text), elsewhere);
}

const maxKept = 16_000_000;

/** The HTML of long texts: of what is in the key alone, so that nothing in it ever goes stale. */
const rendered = new LRUCache<string, string>({
  maxSize: maxKept,
  maxEntrySize: maxKept / 4,
  sizeCalculation: (html, key) => html.length + key.length,
});

/** The HTML of a text, whatever its length. */
export function htmlOf(text: string, instanceUrl: string, options: RenderOptions = {}): Promise<string> {
  const here = () => renderMarkdown(readMarkdown(text, instanceUrl), options);
  return hereOr(text, here, () => htmlOfLong(text, instanceUrl, options));
}

/** That of a long one is kept, by its content and by what its references are. */
async function htmlOfLong(text: string, instanceUrl: string, options: RenderOptions): Promise<string> {
  const { resolved, ...rest } = options;
  const key = hash('sha256', JSON.stringify([text, instanceUrl, rest, [...(resolved ?? [])]]));
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const html = await askOfLongText({ kind: 'html', text, instanceUrl, options });
  if (html === undefined) return `<pre class="code">${escapeHtml(text)}</pre>`;
  rendered.set(key, html);
  return html;
}
