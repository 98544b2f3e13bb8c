import { type ClosedIssue, closedIssues } from '../closing-pattern.ts';
import { extractMentions, type Mentions } from '../mentions.ts';
import { paragraphLines } from '../paragraph-lines.ts';
import { type PlacedReference, placedReferences } from '../placed-references.ts';
import type { Reference } from '../references/reference.ts';
import { type MarkdownDocument, type RenderOptions, readMarkdown, renderMarkdown } from '../render.ts';

/** Tasks of the worker thread. */
export type TextTask =
  | { readonly kind: 'references'; readonly text: string; readonly instanceUrl: string }
  | { readonly kind: 'closed'; readonly text: string; readonly instanceUrl: string }
  | { readonly kind: 'mentions'; readonly text: string }
  | { readonly kind: 'paragraphs'; readonly text: string }
  | { readonly kind: 'places'; readonly text: string }
  | {
      readonly kind: 'html';
      readonly text: string;
      readonly instanceUrl: string;
      readonly options: RenderOptions;
    };

/** Results by kind of task. */
export interface TextTaskResults {
  references: readonly Reference[];
  closed: readonly ClosedIssue[];
  mentions: Mentions;
  paragraphs: readonly number[];
  places: readonly PlacedReference[];
  html: string;
}

// The caller that requests the references of a text requests its HTML next.
let last: MarkdownDocument | undefined;

function documentOf(text: string, instanceUrl: string): MarkdownDocument {
  if (last?.text !== text || last.instanceUrl !== instanceUrl) last = readMarkdown(text, instanceUrl);
  return last;
}

/**
 * Maximum number of names and references returned. A megabyte of names contains a hundred thousand of them, and
 * transferring those to the main thread alone would block it for a second.
 */
export const maxNamed = 2_000;

/** Executes a task, in whichever thread it is called. */
export function runTextTask(task: TextTask): TextTaskResults[TextTask['kind']] {
  if (task.kind === 'mentions') {
    const { names, addressed, all } = extractMentions(task.text);
    return { names: names.slice(0, maxNamed), addressed: addressed.slice(0, maxNamed), all };
  }
  if (task.kind === 'closed') return closedIssues(task.text, task.instanceUrl);
  if (task.kind === 'paragraphs') return paragraphLines(task.text);
  if (task.kind === 'places') return placedReferences(task.text);
  const document = documentOf(task.text, task.instanceUrl);
  if (task.kind === 'references') return document.references.slice(0, maxNamed);
  return renderMarkdown(document, task.options);
}
