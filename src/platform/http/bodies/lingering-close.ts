import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const maxBytes = 64 * 1024 * 1024;
const maxMs = 10_000;
const intervalMs = 20;

/**
 * Keeps a connection that is to be closed open while the client still sends its body, within limits. Closing it with
 * unread bytes would reset it, and a client that is sending would see that instead of the answer, such as a 413.
 */
export function lingerOnClose(server: Server): void {
  server.on('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && !(Number(length) > 0)) return;
    const { socket } = request;
    const from = socket.bytesRead;
    const close = socket.destroySoon;
    // Node calls this after the last answer of a connection.
    socket.destroySoon = () => {
      socket.destroySoon = close;
      if (request.complete || !server.listening) socket.destroySoon();
      else linger(request, socket, from);
    };
  });
}

function linger(request: IncomingMessage, socket: Socket, from: number): void {
  request.resume();
  const since = performance.now();
  const timer = setInterval(() => {
    const isOver = performance.now() - since > maxMs || socket.bytesRead - from > maxBytes;
    if (!request.complete && !socket.destroyed && !isOver) return;
    clearInterval(timer);
    socket.destroySoon();
  }, intervalMs);
}
