import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type HeaderList, setHeaders } from './headers.ts';
import { sendBuffered } from './send-buffered.ts';

export interface RawFile {
  readonly size: number;
  readonly filename: string;
  readonly type: string;
  readonly attachment?: boolean;
  /** Additional headers. */
  readonly headers?: HeaderList;
}

/** A Content-Disposition header: an ASCII file name in quotes, followed by the complete name. */
export function disposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/**
 * Sends a file of a repository unchanged. Committed content must never run in a browser: it is not sent as HTML, its
 * type is not sniffed, and it is sandboxed.
 */
export function sendRaw(reply: FastifyReply, content: Readable | Buffer, file: RawFile): FastifyReply {
  const headers = [
    ...(file.headers ?? []),
    ...['content-type', file.type],
    ...['content-disposition', disposition(file.attachment ? 'attachment' : 'inline', file.filename)],
    ...['cache-control', 'max-age=0, private, must-revalidate, no-store, no-cache'],
    ...['expires', 'Fri, 01 Jan 1990 00:00:00 GMT'],
  ];
  if (Buffer.isBuffer(content)) return sendBuffered(reply.request, reply, headers, content);
  return setHeaders(reply, headers).header('content-length', file.size).send(content);
}
