import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cpuOf, type Started } from '../processes.ts';

/** Measurements of a server during an attack. */
export interface Seen {
  readonly answers: number;
  readonly failures: number;
  readonly slowestMs: number;
  readonly serverMb: number;
  readonly gitMb: number;
  /**
   * The longest time for which the event loop was blocked, as measured by the server; limited to the processor time it
   * used meanwhile, so that a busy machine does not count.
   */
  readonly heldMs: number;
}

/** Resolution of the server's event loop monitor: an idle loop shows this value. */
const tickMs = 10;

/** Reads and resets the longest time for which the event loop was blocked. */
async function longestHold({ url }: Started): Promise<number> {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(text)?.[1] ?? Number.NaN);
  return Math.max(0, seconds * 1000 - tickMs);
}

/** Runs an attack and measures the server meanwhile. */
export async function watch<T>(server: Started, work: () => Promise<T>): Promise<{ result: T; seen: Seen }> {
  const workerData = { url: server.url, pid: server.child.pid };
  const prober = new Worker(join(import.meta.dirname, 'prober.ts'), { workerData });
  await once(prober, 'online');
  // Twice, because computing the metrics blocks the loop too.
  await longestHold(server);
  await longestHold(server);
  const before = cpuOf(server);
  const result = await work();
  const used = cpuOf(server) - before;
  const heldMs = Math.min(await longestHold(server), used);
  const counted = once(prober, 'message');
  prober.postMessage('over');
  const [meanwhile] = (await counted) as [Omit<Seen, 'heldMs'>];
  return { result, seen: { ...meanwhile, heldMs } };
}
