const initialDelayMs = 2000;
const maxDelayMs = 60 * 60 * 1000;

/**
 * The delay after a number of failed attempts, doubling from two seconds to an hour. Half of it is random, so that jobs
 * that failed together do not retry together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (attempts - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
