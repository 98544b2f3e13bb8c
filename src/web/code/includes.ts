import { posix } from 'node:path';

const include = /^::include\{file=([^}\r\n]{1,255})\}[ \t]*\r?$/gm;
/** So many files are put into a text, and those in them, so deep. */
const maxIncludes = 10;
const deepest = 3;
const maxCharacters = 500_000;

/** The text of a file, as far as the reader may have it and it is one. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** What may still be put into a text. */
interface Budget {
  includes: number;
  characters: number;
}

/** The path of what a file includes: beside it, or from the root where it begins with a slash. Undefined outside of the repository. */
export function includedPath(from: string, named: string): string | undefined {
  const written = named.trim().replace(/^(["'])(.*)\1$/, '$2');
  if (written === '' || written.includes('\0') || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(written)) return undefined;
  const path = posix.normalize(written.startsWith('/') ? written.slice(1) : posix.join(posix.dirname(from), written));
  return path.startsWith('/') || path.split('/')[0] === '..' || path === '.' || path.endsWith('/') ? undefined : path;
}

/**
 * A file with those that it includes by lines of `::include{file=…}`. What cannot be read, includes itself, or is too much stands
 * as it was written.
 */
export function withIncludes(path: string, text: string, read: ReadFile): Promise<string> {
  return expand([path], text, read, { includes: maxIncludes, characters: maxCharacters });
}

async function expand(inside: readonly string[], text: string, read: ReadFile, budget: Budget): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const { 0: line, 1: named = '', index } of text.matchAll(include)) {
    if (budget.includes === 0) break;
    const path = includedPath(inside.at(-1) ?? '', named);
    if (path === undefined || inside.includes(path) || inside.length > deepest) continue;
    // Files that are missing count as well: each is looked for.
    budget.includes -= 1;
    const found = await read(path);
    if (found === undefined || found.length > budget.characters) continue;
    budget.characters -= found.length;
    parts.push(text.slice(at, index), await expand([...inside, path], found.replace(/\n$/, ''), read, budget));
    at = index + line.length;
  }
  return parts.join('') + text.slice(at);
}
