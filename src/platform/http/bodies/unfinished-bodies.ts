import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How slowly a body may arrive. */
export interface BodyPace {
  /** The maximum pause, in milliseconds. */
  readonly stall: number;
  /** Once a body takes longer than that pause, its minimum rate in bytes per second. */
  readonly minRate: number;
}

interface Arriving {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly since: number;
  readonly from: number;
  /** Bytes received at the last check, and when that number last grew. */
  bytes: number;
  grewAt: number;
}

const timeoutResponse =
  'HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: 33\r\nconnection: close\r\n\r\n' +
  '{"message":"408 Request Timeout"}';

/**
 * Ends requests whose bodies stall or trickle: each holds a connection, and shutdown waits for them. Large bodies may
 * take as long as they keep coming. Returns a function to stop.
 */
export function endUnfinishedBodies(server: Server, { stall, minRate }: BodyPace): () => void {
  const arriving = new Map<IncomingMessage, Arriving>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.complete) return;
    const now = performance.now();
    const bytes = request.socket.bytesRead;
    arriving.set(request, { response, socket: request.socket, since: now, from: bytes, bytes, grewAt: now });
  });
  const checkBodies = () => {
    const now = performance.now();
    for (const [request, body] of arriving) {
      // If the response is sent before the whole body has arrived, Node discards the rest for as long as it keeps
      // coming.
      if (request.complete || body.socket.destroyed) {
        arriving.delete(request);
        continue;
      }
      const { bytesRead } = body.socket;
      // While the buffer is full, it is the server that is not reading.
      if (bytesRead > body.bytes || request.readableLength >= request.readableHighWaterMark) {
        body.bytes = bytesRead;
        body.grewAt = now;
      }
      const lasts = now - body.since;
      const dripping = lasts > stall && bytesRead - body.from < (lasts / 1000) * minRate;
      if (now - body.grewAt <= stall && !(dripping && request.readableLength < request.readableHighWaterMark)) continue;
      arriving.delete(request);
      end(body);
    }
  };
  const timer = setInterval(checkBodies, Math.max(10, stall / 10)).unref();
  return () => clearInterval(timer);
}

function end({ response, socket }: Arriving): void {
  if (response.headersSent || !socket.writable) socket.destroy();
  else socket.end(timeoutResponse, () => socket.destroy());
}
