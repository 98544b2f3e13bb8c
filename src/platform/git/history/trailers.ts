/** One `Key: value` line at the end of a commit message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

const GENERATED = ['Signed-off-by: ', '(cherry picked from commit '];
const SEPARATED = /^([A-Za-z0-9-]+)[ \t]*:/;

/**
 * The trailers of a commit message, by git's rules: they stand in the last paragraph, never in the title; every line of
 * it is a trailer, or one was written by git itself and at least a quarter are. Folded lines are joined.
 */
export function parseTrailers(message: string): Trailer[] {
  const trailers: { key: string; value: string }[] = [];
  let open: { key: string; value: string } | undefined;
  for (const line of trailerBlock(message)) {
    if (/^\s/.test(line)) {
      if (open) open.value = `${open.value} ${line.trim()}`.trim();
      continue;
    }
    const key = SEPARATED.exec(line)?.[1];
    open = key === undefined ? undefined : { key, value: line.slice(line.indexOf(':') + 1).trim() };
    if (open) trailers.push(open);
  }
  return trailers;
}

function trailerBlock(message: string): string[] {
  const all = message.split('\n');
  const first = all.findIndex((line) => !isBlank(line));
  if (first < 0) return [];
  const lines = all.slice(first, all.findLastIndex((line) => !isBlank(line) && !line.startsWith('#')) + 1);
  const titleEnd = lines.findIndex((line) => !line.startsWith('#') && isBlank(line));
  if (titleEnd < 0) return [];
  let start = lines.length;
  while (start > titleEnd && (lines[start - 1]?.startsWith('#') || !isBlank(lines[start - 1]))) start--;
  const block = lines.slice(start);
  return isTrailerBlock(block) ? block : [];
}

function isTrailerBlock(block: readonly string[]): boolean {
  let trailers = 0;
  let others = 0;
  let generated = false;
  let folded = 0;
  // From the bottom, because a folded line belongs to whatever stands above it.
  for (const line of block.toReversed()) {
    if (line.startsWith('#')) {
      others += folded;
      folded = 0;
    } else if (GENERATED.some((prefix) => line.startsWith(prefix))) {
      generated = true;
      trailers++;
      folded = 0;
    } else if (SEPARATED.test(line)) {
      trailers++;
      folded = 0;
    } else if (/^\s/.test(line)) {
      folded++;
    } else {
      others += 1 + folded;
      folded = 0;
    }
  }
  others += folded;
  return generated ? trailers * 3 >= others : trailers > 0 && others === 0;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
