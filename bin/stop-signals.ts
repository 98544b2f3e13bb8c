import { constants } from 'node:os';

/**
 * Resolves at the first SIGINT or SIGTERM. At a second one the process exits immediately, with the exit code that
 * shells expect.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // Under npm, Ctrl-C arrives twice at the same moment: from the terminal, and forwarded by npm.
        const echo = signal === 'SIGINT' && first !== undefined && performance.now() - first < 200;
        if (first !== undefined && !echo) process.exit(128 + constants.signals[signal]);
        first ??= performance.now();
        resolve();
      });
    }
  });
}
