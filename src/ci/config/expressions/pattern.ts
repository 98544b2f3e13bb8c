import { RE2JS } from 're2js';

const longestPattern = 4096;
/** Repetitions are written out when a pattern is compiled: short ones can come to a machine of a hundred thousand steps. */
const heaviestPattern = 30_000;
const literal = /^\/((?:[^/\\]|\\.)+)\/([ismU]*)$/s;

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** About how much is done for each character. */
  readonly weight: number;
}

/** An RE2 expression, in time linear in its input; undefined where it is none, or one that is too heavy. */
export function compilePattern(source: string, flags = ''): Pattern | undefined {
  const weight = weightOf(source);
  if (source.length > longestPattern || weight > heaviestPattern) return undefined;
  try {
    const compiled = RE2JS.compile(flags === '' ? source : `(?${flags})${source}`);
    return { test: (text) => compiled.matcher(text).find(), weight };
  } catch {
    // Whatever it finds fault with is the author's expression: the caller says so.
    return undefined;
  }
}

function weightOf(source: string): number {
  let most = 1;
  for (const [, counts = ''] of source.matchAll(/\{([\d,]{1,9})\}/g)) {
    most = Math.max(most, ...counts.split(',').map(Number));
  }
  return source.length * most;
}

/** `/re/flags`, as in `only:refs`; undefined where the text is not written so. */
export function patternLiteral(text: string): { source: string; flags: string } | undefined {
  const match = literal.exec(text);
  return match === null ? undefined : { source: match[1] as string, flags: match[2] as string };
}

/** The text as a pattern, where it is one between slashes and RE2 takes it. */
export function patternOf(text: string): Pattern | undefined {
  const parts = patternLiteral(text);
  return parts === undefined ? undefined : compilePattern(parts.source, parts.flags);
}
