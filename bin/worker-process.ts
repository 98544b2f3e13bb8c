import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FromWorker, ToWorker } from './workers.ts';

// The primary decides when to stop; signals that a terminal sends to all processes are not for workers.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// Without a primary, nothing would ever stop this process.
process.on('disconnect', () => process.exit(1));

process.once('message', async ({ config }: ToWorker) => {
  // The stop message may arrive before the server has started.
  const stop = once(process, 'message');
  try {
    const { startServer } = await import('../src/server.ts');
    const server = await startServer(config);
    const { port } = server.app.server.address() as AddressInfo;
    tell({ url: server.url, firstStart: server.firstStart, port });
    void server.overtaken().then((overtaken) => tell({ overtaken }));
    await stop;
    await server.close();
    process.exit(0);
  } catch (error) {
    const { message, stack, code } = error as NodeJS.ErrnoException;
    // Error classes do not survive the message to the primary, so the error becomes a sentence here.
    const { sentenceOf } = await import('./startup-errors.ts');
    const sentence = sentenceOf(error, config);
    tell(sentence === undefined ? { failure: stack ?? message, code } : { failure: sentence, code: 'START_REFUSED' });
  }
});

function tell(message: FromWorker): void {
  process.send?.(message);
}
