import { afterEach, beforeEach, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';

/** A message to the watchdog: what is running now, or the requested state. */
export type Told = { readonly file: string; readonly tests: readonly string[] } | { readonly state: string };

/** Initial data of the watchdog. */
export interface Watching {
  /** Path of the report. */
  readonly report: string;
  readonly patienceMs: number;
}

/**
 * Kills this process if no test file or test has started or ended for `patienceMs`, leaving a report of its state:
 * otherwise the whole test run would hang silently. Returns a function to call when a file starts.
 */
export function endAtStandstill(watching: Watching): (file: string) => void {
  // A separate thread, as this one may be blocked. Neither it nor its messages keep the process alive.
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

  // node:test only reports these at the end of the process, which a hook waiting for the failed work never reaches.
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

/** Describes active handles: endpoints of sockets, PIDs of child processes, remaining time of timers. */
function activeHandles(): string[] {
  if (process.report === undefined) return [];
  // Avoids a DNS lookup of all addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { libuv } = process.report.getReport() as { libuv: Record<string, unknown>[] };
  return libuv
    .filter((handle) => handle.is_active && handle.is_referenced)
    .map(({ is_active, is_referenced, address, ...handle }) =>
      inspect(handle, { breakLength: Number.POSITIVE_INFINITY }),
    );
}
