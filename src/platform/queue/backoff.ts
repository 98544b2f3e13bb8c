const firstMs = 2000;
const longestMs = 60 * 60 * 1000;

/**
 * How long to wait after so many failed attempts: doubling from two seconds to an hour. The half that is left to chance
 * keeps jobs that failed together from coming back together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempts - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
