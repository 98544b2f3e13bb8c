import { setTimeout } from 'node:timers/promises';

/** Far more than anything takes on a machine that is busy with other work. */
const patienceMs = 120_000;

/** Waits for something to become true: what is done in the background, or by another process. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`still not so: ${condition}`);
    await setTimeout(2);
  }
}
