import { matchesWildcard } from '../../platform/wildcard.ts';

/** A parsed code search: the text, and path filters. */
export interface BlobQuery {
  readonly text: string;
  /** Whether a file matches the filters. */
  readonly takes: (path: string) => boolean;
  /** Whether there is a filter; a query may consist of filters alone. */
  readonly filtered: boolean;
}

type Kind = 'filename' | 'path' | 'extension';

const filter = /(^|\s)(-?)(filename|path|extension):(\S+)/g;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function matches(kind: Kind, pattern: string, path: string): boolean {
  const lower = path.toLowerCase();
  if (kind === 'extension') return nameOf(lower).endsWith(`.${pattern.replace(/^\./, '')}`);
  const target = kind === 'filename' ? nameOf(lower) : lower;
  return pattern.includes('*')
    ? matchesWildcard(kind === 'path' ? `*${pattern}*` : pattern, target)
    : target.includes(pattern);
}

/** Parses `some text filename:*.rb path:lib extension:rb -path:vendor`. */
export function readBlobQuery(sent: string): BlobQuery {
  const rules: { kind: Kind; pattern: string; wanted: boolean }[] = [];
  const text = sent.replace(filter, (_, space: string, not: string, kind: Kind, pattern: string) => {
    rules.push({ kind, pattern: pattern.toLowerCase(), wanted: not === '' });
    return space;
  });
  return {
    text: text.trim(),
    takes: (path) => rules.every(({ kind, pattern, wanted }) => matches(kind, pattern, path) === wanted),
    filtered: rules.length > 0,
  };
}
