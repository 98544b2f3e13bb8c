import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cpuOf, type Started } from '../processes.ts';

/** What was seen of a server while something was done to it. */
export interface Seen {
  readonly answers: number;
  readonly failures: number;
  readonly slowestMs: number;
  readonly serverMb: number;
  readonly gitMb: number;
  /**
   * The longest that the event loop could do nothing else, as the server itself noticed; no more than the processor time
   * it took meanwhile, or a machine that is busy with other things would look like a server that is.
   */
  readonly heldMs: number;
}

/** The server's own clock of its loop ticks that often: an idle loop shows this much. */
const tickMs = 10;

/** Reads, and thereby starts anew, how long the loop was held at most since the last time. */
async function longestHold({ url }: Started): Promise<number> {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(text)?.[1] ?? Number.NaN);
  return Math.max(0, seconds * 1000 - tickMs);
}

/** Does something to a server and tells how the server fared meanwhile. */
export async function watch<T>(server: Started, work: () => Promise<T>): Promise<{ result: T; seen: Seen }> {
  const workerData = { url: server.url, pid: server.child.pid };
  const prober = new Worker(join(import.meta.dirname, 'prober.ts'), { workerData });
  await once(prober, 'online');
  // Twice: to work out the figures holds the loop too, and that is not what is measured.
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
