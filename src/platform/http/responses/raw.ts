import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type HeaderList, setHeaders } from './headers.ts';
import { sendBuffered } from './send-buffered.ts';

export interface RawFile {
  readonly size: number;
  readonly filename: string;
  readonly type: string;
  readonly attachment?: boolean;
  /** More of them. */
  readonly headers?: HeaderList;
}

/** A file name as a header carries it: ASCII in quotes, and whole beside it. */
export function disposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

// Bytes that people committed are shown as text and never run: no HTML, no guessing, a sandbox around them.
/** Sends a file of a repository as it is. */
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
