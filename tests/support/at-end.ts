import { AsyncLocalStorage } from 'node:async_hooks';
import { after, describe } from 'node:test';

type Cleanup = () => unknown;

/** What is left to do for the test file that runs; those of one process that run alone share the first list. */
const ofFile = new AsyncLocalStorage<Cleanup[]>();
const ofProcess: Cleanup[] = [];

/** Does something when the test file ends; what was begun last ends first. */
export function atEnd(cleanup: Cleanup): void {
  (ofFile.getStore() ?? ofProcess).push(cleanup);
}

after(() => cleanUp(ofProcess));

/** Runs test files one after the other in this process, each as if it were alone: what one has begun ends with it. */
export function runTogether(files: readonly { readonly name: string; readonly url: string }[]): void {
  for (const { name, url } of files) {
    const cleanups: Cleanup[] = [];
    ofFile.run(cleanups, () =>
      describe(name, async () => {
        after(() => cleanUp(cleanups));
        await import(url);
      }),
    );
  }
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
