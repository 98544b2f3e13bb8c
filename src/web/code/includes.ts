import { posix } from 'node:path';

const include = /^::include\{file=([^}\r\n]{1,255})\}[ \t]*\r?$/gm;
/** Limits on the number of included files and the nesting depth. */
const maxIncludes = 10;
const deepest = 3;
const maxCharacters = 500_000;

/** Returns the text of a file; undefined if it is not readable or not text. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** The remaining limits of an expansion. */
interface Budget {
  includes: number;
  characters: number;
}

/**
 * Returns the path of an included file: relative to the including file, or to the root if it starts with a slash.
 * Undefined if it is outside of the repository.
 */
export function includedPath(from: string, named: string): string | undefined {
  const written = named.trim().replace(/^(["'])(.*)\1$/, '$2');
  if (written === '' || written.includes('\0') || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(written)) return undefined;
  const path = posix.normalize(written.startsWith('/') ? written.slice(1) : posix.join(posix.dirname(from), written));
  return path.startsWith('/') || path.split('/')[0] === '..' || path === '.' || path.endsWith('/') ? undefined : path;
}

/** Expands `::include{file=…}` lines. Files that are unreadable, recursive or beyond the limits are left as written. */
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
    // Missing files count too, because each is a request.
    budget.includes -= 1;
    const found = await read(path);
    if (found === undefined || found.length > budget.characters) continue;
    budget.characters -= found.length;
    parts.push(text.slice(at, index), await expand([...inside, path], found.replace(/\n$/, ''), read, budget));
    at = index + line.length;
  }
  return parts.join('') + text.slice(at);
}
