function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * Ranges of the code spans of a paragraph, including backticks: each span extends from a run of backticks to the next
 * run of the same length. The runs of each length are visited only once, so that the time stays linear even for a text
 * of nothing but backticks.
 */
export function codeSpans(text: string): (readonly [start: number, end: number])[] {
  const runs = [...text.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }));
  const byLength = new Map<number, number[]>();
  for (const [at, { length }] of runs.entries()) {
    const same = byLength.get(length);
    if (same) same.push(at);
    else byLength.set(length, [at]);
  }
  const seen = new Map<number, number>();
  const closing = (length: number, after: number): number | undefined => {
    const same = byLength.get(length) ?? [];
    let next = seen.get(length) ?? 0;
    while ((same[next] ?? Number.POSITIVE_INFINITY) <= after) next += 1;
    seen.set(length, next);
    return same[next];
  };

  const spans: (readonly [number, number])[] = [];
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    if (run === undefined) break;
    // A backslash escapes the first backtick of an opening run; inside code it has no meaning.
    const escaped = isEscaped(text, run.start) ? 1 : 0;
    const close = run.length > escaped ? closing(run.length - escaped, at) : undefined;
    const end = close === undefined ? undefined : runs[close];
    if (close === undefined || end === undefined) continue;
    spans.push([run.start + escaped, end.start + end.length]);
    at = close;
  }
  return spans;
}
