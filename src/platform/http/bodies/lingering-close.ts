import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const maxBytes = 64 * 1024 * 1024;
const maxMs = 10_000;
const intervalMs = 20;

/** The latest request with a body on a connection. */
interface Body {
  readonly request: IncomingMessage;
  /** Bytes that the connection had read before. */
  readonly from: number;
}

/**
 * Keeps a connection that is to be closed open while the client still sends its body, within limits. Closing it with
 * unread bytes would reset it, and a client that is sending would see that instead of the answer, such as a 413.
 */
export function lingerOnClose(server: Server): void {
  // Only the latest of each connection, which may have any number of requests.
  const latest = new WeakMap<Socket, Body>();
  server.on('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && !(Number(length) > 0)) return;
    const { socket } = request;
    const isFirst = !latest.has(socket);
    latest.set(socket, { request, from: socket.bytesRead });
    if (!isFirst) return;
    const close = socket.destroySoon;
    // Node calls this after the last answer of a connection.
    socket.destroySoon = () => {
      socket.destroySoon = close;
      const body = latest.get(socket);
      if (!body || body.request.complete || !server.listening) socket.destroySoon();
      else linger(body, socket);
    };
  });
}

function linger({ request, from }: Body, socket: Socket): void {
  request.resume();
  const since = performance.now();
  const timer = setInterval(() => {
    const isOver = performance.now() - since > maxMs || socket.bytesRead - from > maxBytes;
    if (!request.complete && !socket.destroyed && !isOver) return;
    clearInterval(timer);
    socket.destroySoon();
  }, intervalMs);
}
