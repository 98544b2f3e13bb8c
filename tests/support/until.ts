import { setTimeout } from 'node:timers/promises';

/** Much longer than anything takes on a busy machine. */
const patienceMs = 120_000;

/** Polls until a condition is true, for work in the background or in another process. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`still not so: ${condition}`);
    await setTimeout(2);
  }
}
