import type { Answer } from './server.ts';

/** Does the same several times at once; what came of each, in order. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Does it so often that a race which can be lost is lost at least once. */
export async function inRounds(work: (round: number) => Promise<void>, rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await work(round);
}

/** How often each status was answered: `{ 201: 1, 409: 7 }`. */
export function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
