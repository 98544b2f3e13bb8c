import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Thread } from '../../../platform/threads/thread.ts';
import { extractReferences } from '../document.ts';
import { escapeHtml } from '../html-tags.ts';
import { extractMentions, type Mentions } from '../mentions.ts';
import { paragraphLines } from '../paragraph-lines.ts';
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

/** What is shorter is read at once: that takes less than a hundredth of a second. */
export const longFrom = 16_384;

/** Whom a text mentions, whatever its length; nobody, where it is made to be slow. */
export async function mentionsIn(text: string): Promise<Mentions> {
  if (text.length < longFrom) return extractMentions(text);
  return (await askOfLongText({ kind: 'mentions', text })) ?? { names: [], addressed: [], all: false };
}

/** What a text refers to, whatever its length; nothing, where it is made to be slow. */
export async function referencesOf(text: string, instanceUrl: string): Promise<readonly Reference[]> {
  if (text.length < longFrom) return extractReferences(text, { instanceUrl });
  return (await askOfLongText({ kind: 'references', text, instanceUrl })) ?? [];
}

/** Which lines of a text stand in paragraphs, whatever its length; none, where it is made to be slow. */
export async function paragraphLinesOf(text: string): Promise<readonly number[]> {
  if (text.length < longFrom) return paragraphLines(text);
  return (await askOfLongText({ kind: 'paragraphs', text })) ?? [];
}

/** What a text refers to, and where it does, whatever its length. */
export async function placedReferencesOf(text: string): Promise<readonly PlacedReference[]> {
  if (text.length < longFrom) return placedReferences(text);
  return (await askOfLongText({ kind: 'places', text })) ?? [];
}

const mostKept = 16_000_000;

/** The HTML of long texts: of what is in the key alone, so that nothing in it ever goes stale. */
const rendered = new LRUCache<string, string>({
  maxSize: mostKept,
  maxEntrySize: mostKept / 4,
  sizeCalculation: (html, key) => html.length + key.length,
});

/** The HTML of a text, whatever its length. That of a long one is kept, by its content and by what its references are. */
export async function htmlOf(text: string, instanceUrl: string, options: RenderOptions = {}): Promise<string> {
  if (text.length < longFrom) return renderMarkdown(readMarkdown(text, instanceUrl), options);
  const { resolved, ...rest } = options;
  const key = hash('sha256', JSON.stringify([text, instanceUrl, rest, [...(resolved ?? [])]]));
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const html = await askOfLongText({ kind: 'html', text, instanceUrl, options });
  if (html === undefined) return `<pre class="code">${escapeHtml(text)}</pre>`;
  rendered.set(key, html);
  return html;
}
