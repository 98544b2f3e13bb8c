import { RE2JS } from 're2js';

const maxPatternLength = 4096;
/**
 * Repetitions are expanded during compilation: a short pattern can become an automaton with a hundred thousand states.
 */
const maxPatternWeight = 30_000;
const literal = /^\/((?:[^/\\]|\\.)+)\/([ismU]*)$/s;

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Approximate cost per character. */
  readonly weight: number;
}

/** Compiles an RE2 expression, which matches in linear time; undefined when it is invalid or too complex. */
export function compilePattern(source: string, flags = ''): Pattern | undefined {
  const weight = weightOf(source);
  if (source.length > maxPatternLength || weight > maxPatternWeight) return undefined;
  try {
    const compiled = RE2JS.compile(flags === '' ? source : `(?${flags})${source}`);
    return { test: (text) => compiled.matcher(text).find(), weight };
  } catch {
    // The error is in the author's expression and is reported by the caller.
    return undefined;
  }
}

function weightOf(source: string): number {
  let maxCount = 1;
  for (const [, counts = ''] of source.matchAll(/\{([\d,]{1,9})\}/g)) {
    maxCount = Math.max(maxCount, ...counts.split(',').map(Number));
  }
  return source.length * maxCount;
}

/** Splits `/re/flags`, as in `only:refs`; undefined when the text has another form. */
export function patternLiteral(text: string): { source: string; flags: string } | undefined {
  const match = literal.exec(text);
  return match === null ? undefined : { source: match[1] as string, flags: match[2] as string };
}

/** Compiles `/re/flags`; undefined when it is not a valid pattern. */
export function patternOf(text: string): Pattern | undefined {
  const parts = patternLiteral(text);
  return parts === undefined ? undefined : compilePattern(parts.source, parts.flags);
}
