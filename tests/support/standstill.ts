import { afterEach, beforeEach, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';

/** What the watching thread is told: what runs now, or what it has asked for. */
export type Told = { readonly file: string; readonly tests: readonly string[] } | { readonly state: string };

/** What the watching thread begins with. */
export interface Watching {
  /** Where its report is written. */
  readonly report: string;
  readonly patienceMs: number;
}

/**
 * Ends this process once no test file or test has begun or ended for `patienceMs`, and leaves a report of what it was
 * doing: without that, the whole run would wait for it in silence. Returns what is to be called when a file begins.
 */
export function endAtStandstill(watching: Watching): (file: string) => void {
  // A thread of its own, since this one may be blocked. Neither it nor what is said to it keeps the process alive.
  const watcher = new Worker(new URL('standstill-watcher.ts', import.meta.url), { workerData: watching });
  watcher.on('message', () => watcher.postMessage({ state: state() } satisfies Told));
  watcher.unref();

  let file = '';
  const tests = new Set<string>();
  const tell = () => watcher.postMessage({ file, tests: [...tests] } satisfies Told);
  beforeEach((test) => {
    tests.add((test as TestContext).fullName);
    tell();
  });
  afterEach((test) => {
    tests.delete((test as TestContext).fullName);
    tell();
  });

  // node:test shows these when the process ends only, and a hook that waits for what has failed so never ends.
  const uncaught: unknown[] = [];
  process.on('uncaughtException', (error) => uncaught.push(error));
  process.on('unhandledRejection', (error) => uncaught.push(error));
  const state = () =>
    [
      `uncaught errors: ${uncaught.length === 0 ? 'none' : uncaught.map((error) => inspect(error)).join('\n')}`,
      `active resources: ${process.getActiveResourcesInfo().join(', ')}`,
      ...activeHandles(),
    ].join('\n');

  return (name) => {
    file = name;
    tell();
  };
}

/** Sockets with their two ends, child processes with their numbers, timers with what is left of them. */
function activeHandles(): string[] {
  if (process.report === undefined) return [];
  // Or it would ask for the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { libuv } = process.report.getReport() as { libuv: Record<string, unknown>[] };
  return libuv
    .filter((handle) => handle.is_active && handle.is_referenced)
    .map(({ is_active, is_referenced, address, ...handle }) =>
      inspect(handle, { breakLength: Number.POSITIVE_INFINITY }),
    );
}
