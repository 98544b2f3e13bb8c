/** Total time in seconds during which at least one span was active. Overlaps count once, gaps do not count. */
export function busySeconds(
  spans: readonly { readonly started_at: number | null; readonly finished_at: number | null }[],
  now: number,
): number {
  const intervals = spans
    .flatMap(({ started_at, finished_at }) => (started_at === null ? [] : [[started_at, finished_at ?? now] as const]))
    .sort(([left], [right]) => left - right);
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [start, end] of intervals) {
    if (end <= until) continue;
    total += end - Math.max(start, until);
    until = end;
  }
  return Math.round(total / 1000);
}
