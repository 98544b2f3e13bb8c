import type { Writable } from 'node:stream';

/** Sends git's output to the client at the client's pace; `abandon` is called when the client disconnects. */
export async function relay(
  chunks: AsyncIterable<Buffer>,
  output: Writable,
  abandon: () => void,
  onChunk?: (chunk: Buffer) => void,
): Promise<number> {
  let sent = 0;
  let disconnected = false;
  const onDisconnect = () => {
    disconnected = true;
    abandon();
  };
  output.once('error', onDisconnect);
  output.once('close', onDisconnect);
  if (output.destroyed) onDisconnect();
  try {
    for await (const chunk of chunks) {
      // Keep reading after the client is gone: git would block forever otherwise.
      if (disconnected) continue;
      sent += chunk.length;
      onChunk?.(chunk);
      if (!output.write(chunk)) await drained(output);
    }
  } finally {
    output.off('error', onDisconnect);
    output.off('close', onDisconnect);
  }
  return sent;
}

function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'];
    const done = () => {
      for (const event of events) output.off(event, done);
      resolve();
    };
    for (const event of events) output.on(event, done);
    if (output.destroyed) done();
  });
}
