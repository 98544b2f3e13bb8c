import { matchesWildcard } from '../../platform/wildcard.ts';

/** What is looked for in files: a text, and where. */
export interface BlobQuery {
  readonly text: string;
  /** Says whether a file is among those that are meant. */
  readonly takes: (path: string) => boolean;
  /** There is a filter, which by itself may be all that was asked for. */
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

/** Reads `some text filename:*.rb path:lib extension:rb -path:vendor`. */
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
