import type { Answer } from './server.ts';

/** Runs the same work several times concurrently. Returns the results in order. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Repeats the work often enough for a race condition to show at least once. */
export async function inRounds(work: (round: number) => Promise<void>, rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await work(round);
}

/** Counts the response statuses: `{ 201: 1, 409: 7 }`. */
export function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
