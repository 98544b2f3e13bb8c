/** Old and new URL of a repository, without a trailing slash. */
export interface RepositoryUrlChange {
  readonly from: string;
  readonly to: string;
}

// Existing code blocks and code spans.
const code = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/;
const mention = /(^|[^\w`/@.])@([A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?)/g;

/** Maximum length of texts; lists of longer ones would not fit into memory. */
const maxTextLength = 1_048_576;

export function shortened(text: string): string {
  return text.length > maxTextLength ? text.slice(0, maxTextLength).toWellFormed() : text;
}

/**
 * Converts a text of the source host: mentions must not notify users here, and links within the repository are
 * rewritten to its new URL.
 */
export function importedText(text: string | null | undefined, moved?: RepositoryUrlChange): string {
  const lines = shortened(text ?? '').replaceAll('\r\n', '\n');
  return outsideCode(lines, (part) => withLinks(part.replace(mention, '$1`@$2`'), moved));
}

/** Applies a change to the parts of a text outside of code. */
export function outsideCode(text: string, change: (part: string) => string): string {
  const parts = text.split(code);
  return parts.map((part, at) => (at % 2 === 1 ? part : change(part))).join('');
}

function withLinks(text: string, moved: RepositoryUrlChange | undefined): string {
  if (!moved) return text;
  const kinds = [
    ['issues', '/-/issues/'],
    ['pull', '/-/merge_requests/'],
    ['pull-requests', '/-/merge_requests/'],
  ] as const;
  return kinds.reduce((rest, [there, here]) => {
    const [before, ...parts] = rest.split(`${moved.from}/${there}/`);
    return [
      before,
      ...parts.map((part) => (/^\d/.test(part) ? moved.to + here + part : `${moved.from}/${there}/${part}`)),
    ].join('');
  }, text);
}

/** Converts a suggestion to this server's syntax, which states the number of lines above. */
export function withSuggestions(
  text: string,
  { line, start_line }: { line?: number | null; start_line?: number | null },
): string {
  const above = line && start_line ? Math.max(line - start_line, 0) : 0;
  return text.replaceAll(/^([ \t]*)```suggestion\b.*$/gm, `$1\`\`\`suggestion:-${above}+0`);
}

/** A non-empty title of at most 255 characters. */
export function importedTitle(text: string | null | undefined): string {
  const title = [...(text ?? '').trim()].slice(0, 255).join('');
  return title === '' ? 'Untitled' : title;
}

/** Converts a timestamp of the source host to milliseconds; defaults to the current time. */
export function importedTime(text: string | number | null | undefined): number {
  const at = typeof text === 'number' ? text : Date.parse(text ?? '');
  return Number.isFinite(at) ? at : Date.now();
}
