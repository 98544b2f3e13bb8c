import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { endAtStandstill } from './standstill.ts';

type Cleanup = () => unknown;

/** Cleanups of the running test file; files that run alone share the list of the process. */
const ofFile = new AsyncLocalStorage<Cleanup[]>();
const ofProcess: Cleanup[] = [];

/** Registers a cleanup for the end of the test file. Cleanups run in reverse order. */
export function atEnd(cleanup: Cleanup): void {
  (ofFile.getStore() ?? ofProcess).push(cleanup);
}

after(() => cleanUp(ofProcess));

/**
 * Runs test files sequentially in this process, each isolated by its own cleanups. Files already taken by another
 * process, as recorded in `directory`, are skipped. A process that hangs is killed and leaves a report there.
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

/** Returns true for the first caller. */
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
      // If a file cannot be loaded, no test and no hook of it runs.
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
  // Run all cleanups even if some fail: a server left open would keep the process running forever.
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}
