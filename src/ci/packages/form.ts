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

/** Processes a multipart form and deletes its temporary files afterwards. */
export async function withForm<T>(
  { config }: Services,
  request: FastifyRequest,
  /** Name of the required file field, and the maximum file size in bytes; 0 for no limit. */
  { name, maxSize }: { readonly name: string; readonly maxSize: number },
  work: (fields: Fields) => Promise<T>,
): Promise<T> {
  if (!isMultipart(request)) {
    (request.body as Readable | undefined)?.resume();
    throw new ParameterError(`${name} is missing`);
  }
  const [fields, files] = await readMultipart(request, {
    spool: join(config.data, 'tmp', 'uploads'),
    fileLimit: maxSize > 0 ? maxSize : Number.MAX_SAFE_INTEGER,
  }).catch((error: unknown) => {
    throw error instanceof TooLarge ? fileTooLarge() : error;
  });
  try {
    return await work(fields);
  } finally {
    await Promise.all(files.map((file) => file.remove()));
  }
}

/** Processes a single file, sent as the request body or in a form, and deletes it afterwards. */
export async function withFile<T>(
  services: Services,
  request: FastifyRequest,
  limits: { readonly name: string; readonly maxSize: number },
  work: (content: UploadedFile) => Promise<T>,
): Promise<T> {
  if (isMultipart(request)) {
    return withForm(services, request, limits, ({ [limits.name]: content }) => {
      if (!(content instanceof UploadedFile)) throw new ParameterError(`${limits.name} is missing`);
      return work(content);
    });
  }
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const path = join(services.config.data, 'tmp', 'uploads', randomUUID());
  const content = new UploadedFile(limits.name, 'application/octet-stream', path, 0);
  try {
    await pipeline(bounded(body, limits.maxSize), createWriteStream(path, { mode: 0o600 }));
    return await work(content);
  } finally {
    body.resume();
    await content.remove();
  }
}

async function* bounded(body: Readable, maxSize: number): AsyncGenerator<Buffer, void> {
  let size = 0;
  // The connection stays open, so that the client receives the error.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxSize) throw fileTooLarge();
    yield chunk;
  }
}
