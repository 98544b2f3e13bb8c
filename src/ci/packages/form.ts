import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import { isMultipart, readMultipart } from '../../platform/http/bodies/multipart.ts';
import { ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { fileTooLarge } from './keep.ts';

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
