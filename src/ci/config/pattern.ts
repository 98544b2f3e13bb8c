import { RE2JS } from 're2js';

const longestPattern = 4096;
const literal = /^\/((?:[^/\\]|\\.)+)\/([ismU]*)$/s;

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
}

/** An RE2 expression, in time linear in its input; undefined where it is none. */
export function compilePattern(source: string, flags = ''): Pattern | undefined {
  if (source.length > longestPattern) return undefined;
  try {
    const compiled = RE2JS.compile(flags === '' ? source : `(?${flags})${source}`);
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    // Whatever it finds fault with is the author's expression: the caller says so.
    return undefined;
  }
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
