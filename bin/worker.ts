import './quick-start.ts';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FromWorker, ToWorker } from './workers.ts';

// The primary decides when to stop; what a terminal sends to all processes at once is not for us.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Without a primary nobody would ever stop us.
process.on('disconnect', () => process.exit(1));

process.once('message', async ({ config }: ToWorker) => {
  // The word to stop may come before we have started.
  const stop = once(process, 'message');
  try {
    const { startServer } = await import('../src/server.ts');
    const server = await startServer(config);
    const { port } = server.app.server.address() as AddressInfo;
    tell({ url: server.url, firstStart: server.firstStart, port });
    await stop;
    await server.close();
    process.exit(0);
  } catch (error) {
    const { message, stack, code } = error as NodeJS.ErrnoException;
    // A refusal is a sentence for people, and needs no stack.
    tell({ failure: code === 'START_REFUSED' ? message : (stack ?? message), code });
  }
});

function tell(message: FromWorker): void {
  process.send?.(message);
}
