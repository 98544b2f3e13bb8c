/** Where a repository was, and where it is now, without a slash at the end. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

// Text that is code already: fences and spans.
const code = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/;
const mention = /(^|[^\w`/@.])@([A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?)/g;

/** No text that is written here is longer; lists of what has longer ones would not fit into memory. */
const longestText = 1_048_576;

export function shortened(text: string): string {
  return text.length > longestText ? text.slice(0, longestText).toWellFormed() : text;
}

/**
 * A text of another host for this one: names that people are called by there must not call somebody here, and links
 * within the repository lead to where its issues and requests are now.
 */
export function importedText(text: string | null | undefined, moved?: Moved): string {
  const lines = shortened(text ?? '').replaceAll('\r\n', '\n');
  return outsideCode(lines, (part) => withLinks(part.replace(mention, '$1`@$2`'), moved));
}

/** A text whose parts that are no code have been changed. */
export function outsideCode(text: string, change: (part: string) => string): string {
  const parts = text.split(code);
  return parts.map((part, at) => (at % 2 === 1 ? part : change(part))).join('');
}

function withLinks(text: string, moved: Moved | undefined): string {
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

/** A proposed change as this server writes it: over how many lines above the one it stands at. */
export function withSuggestions(
  text: string,
  { line, start_line }: { line?: number | null; start_line?: number | null },
): string {
  const above = line && start_line ? Math.max(line - start_line, 0) : 0;
  return text.replaceAll(/^([ \t]*)```suggestion\b.*$/gm, `$1\`\`\`suggestion:-${above}+0`);
}

/** A title of at most 255 characters, never empty. */
export function importedTitle(text: string | null | undefined): string {
  const title = [...(text ?? '').trim()].slice(0, 255).join('');
  return title === '' ? 'Untitled' : title;
}

/** An instant of another host in milliseconds; now when it has none. */
export function importedTime(text: string | number | null | undefined): number {
  const at = typeof text === 'number' ? text : Date.parse(text ?? '');
  return Number.isFinite(at) ? at : Date.now();
}
