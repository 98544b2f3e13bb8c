export type { ClosedIssue } from './closing-pattern.ts';
export { codeSpans } from './code-spans.ts';
export { extractReferences } from './document.ts';
export {
  anyThreadReading,
  closedIssuesOf,
  htmlOf,
  mainThreadReading,
  mentionsIn,
  minLongTextLength,
  paragraphLinesOf,
  referencesOf,
  type TextReading,
} from './long-texts/read.ts';
export { extractMentions, type Mentions } from './mentions.ts';
export { paragraphLines } from './paragraph-lines.ts';
export { NeedsWorkerThread, parseBlocks, readOnMainThread, type Token } from './parser.ts';
export type { PlacedReference } from './placed-references.ts';
export { readReference } from './references/read.ts';
export {
  type Reference,
  type ReferenceType,
  type ResolvedReference,
  type ResolvedReferences,
  referenceKey,
} from './references/reference.ts';
export { type MarkdownDocument, type RenderOptions, readLine, readMarkdown, renderMarkdown } from './render.ts';
export type { Repository, TextFile } from './repository-links.ts';
export {
  qualifyInGroup,
  type ReferenceContext,
  type ReferenceResolver,
  referencePathPrefix,
  resolveReferences,
} from './resolve.ts';
export { renderTexts } from './service.ts';
export { usersNamed } from './store.ts';
