import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import { isMultipart, readMultipart } from '../../platform/http/bodies/multipart.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { fileTooLarge } from './store-file.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Has something done with the form that a request carries, and removes its files after. */
export async function takeForm<T>(
  { config }: Services,
  request: FastifyRequest,
  /** What it must have, and the most bytes of a file; 0 for any number. */
  { name, most }: { readonly name: string; readonly most: number },
  work: (fields: Fields) => Promise<T>,
): Promise<T> {
  if (!isMultipart(request)) {
    (request.body as Readable | undefined)?.resume();
    throw new ParameterError(`${name} is missing`);
  }
  const [fields, files] = await readMultipart(request, {
    spool: join(config.data, 'tmp', 'uploads'),
    fileLimit: most > 0 ? most : Number.MAX_SAFE_INTEGER,
  }).catch((error: unknown) => {
    throw error instanceof TooLarge ? fileTooLarge() : error;
  });
  try {
    return await work(fields);
  } finally {
    await Promise.all(files.map((file) => file.remove()));
  }
}

/** Has something done with the one file that a request is, or that its form carries, and removes it after. */
export async function takeFile<T>(
  services: Services,
  request: FastifyRequest,
  limits: { readonly name: string; readonly most: number },
  work: (content: UploadedFile) => Promise<T>,
): Promise<T> {
  if (isMultipart(request)) {
    return takeForm(services, request, limits, ({ [limits.name]: content }) => {
      if (!(content instanceof UploadedFile)) throw new ParameterError(`${limits.name} is missing`);
      return work(content);
    });
  }
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const path = join(services.config.data, 'tmp', 'uploads', randomUUID());
  const content = new UploadedFile(limits.name, 'application/octet-stream', path, 0);
  try {
    await pipeline(bounded(body, limits.most), createWriteStream(path, { mode: 0o600 }));
    return await work(content);
  } finally {
    body.resume();
    await content.remove();
  }
}

async function* bounded(body: Readable, most: number): AsyncGenerator<Buffer, void> {
  let size = 0;
  // Whoever sends too much is still there to be told.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > most) throw fileTooLarge();
    yield chunk;
  }
}
