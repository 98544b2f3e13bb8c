import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How slowly a body may come. */
export interface BodyPace {
  /** How long nothing at all may come, in milliseconds. */
  readonly stall: number;
  /** Once a body takes longer than a stall may, it must have come at this many bytes a second. */
  readonly leastRate: number;
}

interface Arriving {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly since: number;
  readonly from: number;
  /** What had come when it was last looked at, and when that had last grown. */
  bytes: number;
  grewAt: number;
}

const late =
  'HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: 33\r\nconnection: close\r\n\r\n' +
  '{"message":"408 Request Timeout"}';

/**
 * Ends requests whose bodies stand still or only drip: each holds a connection, and at the end of the process everybody
 * waits for it. Large bodies may take as long as they keep coming. Returns the way to stop.
 */
export function endUnfinishedBodies(server: Server, { stall, leastRate }: BodyPace): () => void {
  const arriving = new Map<IncomingMessage, Arriving>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.complete) return;
    const now = performance.now();
    const bytes = request.socket.bytesRead;
    arriving.set(request, { response, socket: request.socket, since: now, from: bytes, bytes, grewAt: now });
  });
  const look = () => {
    const now = performance.now();
    for (const [request, body] of arriving) {
      // An answer may be out before the body is in: Node then reads on, and throws away, for as long as anything comes.
      if (request.complete || body.socket.destroyed) {
        arriving.delete(request);
        continue;
      }
      const { bytesRead } = body.socket;
      // While the buffer is full it is the server that does not read.
      if (bytesRead > body.bytes || request.readableLength >= request.readableHighWaterMark) {
        body.bytes = bytesRead;
        body.grewAt = now;
      }
      const lasts = now - body.since;
      const dripping = lasts > stall && bytesRead - body.from < (lasts / 1000) * leastRate;
      if (now - body.grewAt <= stall && !(dripping && request.readableLength < request.readableHighWaterMark)) continue;
      arriving.delete(request);
      end(body);
    }
  };
  const timer = setInterval(look, Math.max(10, stall / 10)).unref();
  return () => clearInterval(timer);
}

function end({ response, socket }: Arriving): void {
  if (response.headersSent || !socket.writable) socket.destroy();
  else socket.end(late, () => socket.destroy());
}
