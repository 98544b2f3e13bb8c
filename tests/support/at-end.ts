import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { endAtStandstill } from './standstill.ts';

type Cleanup = () => unknown;

/** What is left to do for the test file that runs; those of one process that run alone share the first list. */
const ofFile = new AsyncLocalStorage<Cleanup[]>();
const ofProcess: Cleanup[] = [];

/** Does something when the test file ends; what was begun last ends first. */
export function atEnd(cleanup: Cleanup): void {
  (ofFile.getStore() ?? ofProcess).push(cleanup);
}

after(() => cleanUp(ofProcess));

/**
 * Runs test files one after the other in this process, each as if it were alone: what one has begun ends with it. Those
 * that another process has taken are passed over; a folder in `directory` says which they are. A process that stands still
 * ends, and leaves a report there.
 */
export async function runTogether(
  files: readonly { readonly name: string; readonly url: string }[],
  directory: string,
  { limit, patienceMs }: { limit: number; patienceMs: number },
): Promise<void> {
  const begins = endAtStandstill({ report: join(directory, `${process.pid}.standstill`), patienceMs });
  let taken = 0;
  for (const [at, { name, url }] of files.entries()) {
    if (taken === limit) return;
    if (!take(join(directory, `taken-${at}`))) continue;
    taken += 1;
    begins(name);
    await runFile(name, url);
  }
}

/** True for the first who asks. */
function take(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function runFile(name: string, url: string): Promise<void> {
  const cleanups: Cleanup[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  ofFile.run(cleanups, () =>
    describe(name, async () => {
      after(() => cleanUp(cleanups).finally(resolve));
      // Where a file cannot be loaded nothing of it runs, nor what comes after.
      await import(url).catch((error: unknown) => {
        resolve();
        throw error;
      });
    }),
  );
  return promise;
}

async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  const failures: unknown[] = [];
  // Each of them, whatever becomes of the others: a server left open would keep the process for ever.
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}
